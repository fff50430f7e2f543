// Hides the findings that do not have all words of the search; without this all are shown.
const search = document.getElementById("search");
const findings = [...document.querySelectorAll("article")].map((article) => {
  const heading = article.closest("section").querySelector("h3");
  return { article, text: `${heading.textContent} ${article.textContent}`.toLowerCase() };
});
const around = document.querySelectorAll("main section, main .part");
const folded = [...document.querySelectorAll("details.part")];
const open = folded.map((part) => part.open);

if (search) {
  search.closest("label").hidden = false;
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { article, text } of findings) {
      article.hidden = !words.every((word) => text.includes(word));
    }
    for (const each of around) {
      const inside = [...each.querySelectorAll("article")];
      each.hidden = inside.length > 0 && inside.every((article) => article.hidden);
    }
    folded.forEach((part, at) => {
      part.open = words.length > 0 || open[at];
    });
  });
}
