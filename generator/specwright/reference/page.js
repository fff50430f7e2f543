"use strict";
// Search, themes, copying, links, the current section, and requests to try. Without this, all is
// readable.
const api = JSON.parse(document.getElementById("api").textContent);
// The values that forms share. They are in memory only, and gone with the page.
const memory = { server: "", keys: new Map() };
const LONGEST = 100000;
// Credentials that a page cannot send: a cookie of another origin, and Digest.
const UNSENT = ["cookie", "digest"];

const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

// The theme, which the script in the head has set already.
const theme = document.getElementById("theme");
theme.value = document.documentElement.dataset.theme ?? "";
theme.addEventListener("change", () => {
  wear(theme.value);
  store(THEME, theme.value);
});
theme.closest(".tools").hidden = false;

// Links of the menu, and the entries of this page that they refer to.
const links = [...document.querySelectorAll("nav .group li:not(.overview) a")];
const anchorOf = (link) => decodeURIComponent(link.hash.slice(1));
const targetOf = (link) => {
  const isHere = link.getAttribute("href").startsWith("#");
  return isHere ? document.getElementById(anchorOf(link))?.closest("details.entry") : null;
};
const targets = new Map(links.map((link) => [link, targetOf(link)]));

// Search: entries of this page by all their text, those of other pages by their names.
const finder = document.getElementById("finder");
const search = document.getElementById("search");
const results = document.getElementById("results");
const MOST_RESULTS = 30;
let index = null;
let chosen = 0;

const indexed = () => {
  const named = (href, kind, title, names, text) => (
    { href, kind, title, names: names.toLowerCase(), text: text.toLowerCase() }
  );
  const entries = links.map((link) => {
    const kind = link.closest(".group").querySelector("summary").textContent;
    const names = `${link.textContent} ${link.title} ${anchorOf(link)}`;
    return named(link.getAttribute("href"), kind, link, names, targets.get(link)?.textContent ?? "");
  });
  const codes = [...document.querySelectorAll(".all-codes [id]")].map((row) => {
    const code = row.querySelector("code");
    return named(`#${row.id}`, "Error codes", code, code.textContent, row.textContent);
  });
  const parts = [...document.querySelectorAll("nav .contents > ul a, nav .overview a")].map((link) => {
    const kind = link.closest(".group")?.querySelector("summary").textContent ?? "";
    return named(link.getAttribute("href"), kind, link, `${kind} ${link.textContent}`, "");
  });
  return [...entries, ...codes, ...parts];
};

const matching = (words) => {
  const byName = [];
  const byText = [];
  for (const entry of index) {
    const others = words.filter((word) => !entry.names.includes(word));
    if (!others.length) byName.push(entry);
    else if (others.every((word) => entry.text.includes(word))) byText.push(entry);
  }
  return [...byName, ...byText];
};

const choose = (at) => {
  const options = [...results.children];
  chosen = options.length ? (at + options.length) % options.length : 0;
  options.forEach((option, number) => option.setAttribute("aria-selected", number === chosen));
  if (!options.length) return search.removeAttribute("aria-activedescendant");
  search.setAttribute("aria-activedescendant", options[chosen].id);
  options[chosen].scrollIntoView({ block: "nearest" });
};

const find = () => {
  index ||= indexed();
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = words.length ? matching(words) : [];
  const shown = matches.slice(0, MOST_RESULTS);
  results.replaceChildren(...shown.map(({ href, kind, title }, number) => {
    const copied = title.matches("a") ? [...title.cloneNode(true).childNodes] : [title.textContent];
    const method = copied.find((part) => part.className?.startsWith("method")) ?? make("span");
    const name = make("span", {}, ...copied.filter((part) => part !== method));
    const about = [kind, title.title].filter(Boolean).join(" · ");
    const option = make("li", { id: `result~${number}`, role: "option" }, method, name, make("small", { textContent: about }));
    option.dataset.href = href;
    return option;
  }));
  results.hidden = !shown.length;
  search.setAttribute("aria-expanded", shown.length > 0);
  const count = matches.length === 1 ? "1 result" : `${matches.length} results`;
  const more = matches.length > shown.length ? `, of which ${shown.length} are shown` : "";
  finder.querySelector("[role=status]").textContent = words.length ? count + more : "";
  choose(0);
};

const openFinder = () => {
  if (!finder.open) finder.showModal();
  search.select();
  find();
};

// Without an element to return to, the focus would stay in the field, where `/` is a letter.
const shut = () => {
  search.blur();
  finder.close();
};

const go = (option) => {
  if (!option) return;
  shut();
  const isHere = option.dataset.href === location.hash;
  location.href = option.dataset.href;
  if (isHere) reveal();
};

search.addEventListener("input", find);
search.addEventListener("keydown", (event) => {
  const acts = {
    ArrowDown: () => choose(chosen + 1),
    ArrowUp: () => choose(chosen - 1),
    Enter: () => go(results.children[chosen]),
    Escape: shut,
  };
  if (event.isComposing || !Object.hasOwn(acts, event.key)) return;
  event.preventDefault();
  acts[event.key]();
});
results.addEventListener("click", (event) => go(event.target.closest("[role=option]")));
document.querySelector(".find").addEventListener("click", openFinder);
addEventListener("keydown", (event) => {
  const isTyping = event.target.closest?.("input, textarea, select");
  const isSlash = event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey;
  if (!isSlash && !(event.key === "k" && (event.ctrlKey || event.metaKey))) return;
  event.preventDefault();
  openFinder();
});

// The current section.
const seen = new Set();
const places = new Map([...targets].filter(([, entry]) => entry).map(([link, entry], at) => [entry, { link, at }]));
let current = null;
const watcher = new IntersectionObserver((changes) => {
  for (const { target, isIntersecting } of changes) {
    if (isIntersecting) seen.add(target); else seen.delete(target);
  }
  const [first] = [...seen].map((entry) => places.get(entry)).sort((one, other) => one.at - other.at);
  if (first?.link === current) return;
  current?.removeAttribute("aria-current");
  current = first?.link;
  current?.setAttribute("aria-current", "location");
}, { rootMargin: "-10% 0px -70% 0px" });
places.forEach((_, entry) => watcher.observe(entry));

// A link to a part of the page opens all that it is in.
const reveal = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let each = target.closest("details"); each; each = each.parentElement.closest("details")) {
    each.open = true;
  }
  target.scrollIntoView();
  const summary = target.matches("article") && target.parentElement.querySelector("summary");
  if (summary) summary.focus({ preventScroll: true });
};
addEventListener("hashchange", reveal);

// Copying.
const copy = async (text, button) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages that are not served by HTTPS may only copy a selection.
    const area = make("textarea", { value: text });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  button.textContent = "Copied";
};

const copyButton = (label, textOf, about = label) => {
  const button = make("button", { type: "button", className: "copy", textContent: label, ariaLabel: about });
  button.addEventListener("click", () => {
    button.ariaLabel = null;
    copy(textOf(), button);
  });
  return button;
};

const addCopying = (pre) => {
  const code = pre.querySelector("code");
  if (code && !pre.querySelector("button")) pre.append(copyButton("Copy", () => code.textContent));
};
document.querySelectorAll("#content > pre").forEach(addCopying);
document.querySelectorAll("#servers + dl dt").forEach((term) => {
  const url = term.textContent;
  term.append(copyButton("Copy", () => url, `Copy ${url}`));
});

// Operations that can be tried have samples, and show their method and path.
const isTryable = (article) => "schemes" in article.dataset;
const routeOf = (article) => {
  const [method, path] = article.previousElementSibling.querySelector(".route").children;
  return { method: method.textContent, path: path.textContent };
};

// Links to everything that has an anchor.
const addLinks = (article) => {
  const linkTo = (part) => copyButton("Copy link", () => new URL(`#${part.id}`, location.href).href);
  const path = isTryable(article) ? [copyButton("Copy path", () => routeOf(article).path)] : [];
  article.prepend(...path, linkTo(article));
  for (const part of article.querySelectorAll("[id]")) {
    const term = part.querySelector(":scope > dt");
    if (!term) {
      part.append(linkTo(part));
      continue;
    }
    const ariaLabel = `Link to ${term.querySelector("code").textContent}`;
    term.append(make("a", { className: "permalink", href: `#${part.id}`, textContent: "#", ariaLabel }));
  }
};

// The document, which is compressed.
const download = document.getElementById("download");
if (download && "DecompressionStream" in window) {
  download.parentElement.hidden = false;
  download.addEventListener("click", async () => {
    const { textContent, dataset } = document.getElementById("document");
    const bytes = Uint8Array.from(atob(textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const type = "application/octet-stream";
    const blob = new Blob([await new Response(stream).arrayBuffer()], { type });
    const href = URL.createObjectURL(blob);
    make("a", { href, download: dataset.name }).click();
    URL.revokeObjectURL(href);
  });
}

// An example that an earlier part of the page has, too, is a link to that part until it is shown.
const repeat = (link) => {
  const original = document.querySelector(`[data-content="${CSS.escape(link.dataset.same)}"]`);
  const copied = original.cloneNode(true);
  copied.querySelectorAll("button").forEach((button) => button.remove());
  copied.dataset.content = link.dataset.content;
  link.replaceWith(copied);
};
addEventListener("beforeprint", () => document.querySelectorAll("[data-same]").forEach(repeat));

// Alternatives that are next to each other have a name, and then one of them is open at a time. In
// the page itself, a browser would look for others of a name in all of it, for each of them.
let named = 0;
const addTabs = (tabs) => {
  named += 1;
  for (const part of tabs.children) part.name = `tabs~${named}`;
};

// Samples: the program that the reader has chosen last is shown in every entry.
const PROGRAM = "specwright.program";
let program = stored(PROGRAM);
const showSample = (article) => {
  const own = article.querySelector(`:scope > .tabs > [data-program="${CSS.escape(program)}"]`);
  if (own) own.open = true;
};
document.addEventListener("click", (event) => {
  const sample = event.target.closest("[data-program] > summary")?.parentElement;
  if (!sample || sample.open) return;
  // Otherwise the browser would close what is opened here.
  event.preventDefault();
  program = sample.dataset.program;
  store(PROGRAM, program);
  document.querySelectorAll(".entry[open] > article").forEach(showSample);
});

// Requests.
const isServed = location.protocol === "http:" || location.protocol === "https:";

const absolute = (url) => {
  try {
    return isServed ? new URL(url, location.href).href : new URL(url).href;
  } catch {
    return "";
  }
};

const usual = (article) => {
  const servers = (article.dataset.server ? [article.dataset.server] : api.servers).map(absolute);
  const own = servers.find((url) => isServed && url && new URL(url).origin === location.origin);
  return (own || servers.find(Boolean) || "").replace(/\/$/, "");
};

const labelled = (text, input) => make("label", {}, make("span", { textContent: text }), input);

const query = ({ name, form, value }) => {
  const encoded = encodeURIComponent;
  if (form === "raw") return [value];
  return (form === "list" ? value.split(",") : [value]).map((each) => `${encoded(name)}=${encoded(each)}`);
};

const authorize = (article, headers, pairs) => {
  for (const key of JSON.parse(article.dataset.schemes)) {
    const scheme = api.schemes[key];
    const secret = memory.keys.get(key);
    if (!scheme || !secret) continue;
    if (scheme.kind === "bearer") headers.set("Authorization", `Bearer ${secret}`);
    // The user's name and the password, as UTF-8 (RFC 7617).
    if (scheme.kind === "basic") {
      const bytes = String.fromCharCode(...new TextEncoder().encode(secret));
      headers.set("Authorization", `Basic ${btoa(bytes)}`);
    }
    if (scheme.kind === "header") headers.set(scheme.name, secret);
    if (scheme.kind === "query") pairs.push(`${encodeURIComponent(scheme.name)}=${encodeURIComponent(secret)}`);
  }
};

const requestOf = (article, inputs, body) => {
  const headers = new Headers();
  const pairs = [];
  let { path } = routeOf(article);
  for (const { parameter, input } of inputs) {
    const value = input.value;
    if (!value) continue;
    if (parameter.in === "path") path = path.replaceAll(`{${parameter.name}}`, encodeURIComponent(value));
    if (["query", "querystring"].includes(parameter.in)) pairs.push(...query({ ...parameter, value }));
    if (parameter.in === "header") headers.set(parameter.name, value);
  }
  authorize(article, headers, pairs);
  if (body) headers.set("Content-Type", article.dataset.mediaType);
  const url = new URL(memory.server.replace(/\/$/, "") + path + (pairs.length ? (path.includes("?") ? "&" : "?") + pairs.join("&") : ""));
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new TypeError("the server must be an address that begins with http:// or https://");
  return [url, {
    method: routeOf(article).method,
    headers,
    body: body || undefined,
    cache: "no-store",
    credentials: "omit",
    // A key must not follow a redirect to another server.
    redirect: "manual",
    referrerPolicy: "no-referrer",
  }];
};

const shown = async (response) => {
  if (response.type === "opaqueredirect") return "The server responds with a redirect, which is not followed.";
  const lines = [`${response.status} ${response.statusText}`.trim()];
  response.headers.forEach((value, name) => lines.push(`${name}: ${value}`));
  let text = await response.text();
  try {
    text = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Not JSON.
  }
  const more = text.length - LONGEST;
  return `${lines.join("\n")}\n\n${more > 0 ? `${text.slice(0, LONGEST)}\n… and ${more} more characters` : text}`;
};

// The examples of a body, if there are several to choose from.
const exampleChoice = (article, body) => {
  const content = CSS.escape(`${article.id}/body/${article.dataset.mediaType}`);
  const examples = [...article.querySelectorAll(`[data-content="${content}"] .example`)];
  if (!examples.length) return [];
  const titles = examples.map((example) => example.querySelector("summary").textContent);
  const select = make("select", {}, ...titles.map((textContent) => make("option", { textContent })));
  select.addEventListener("change", () => {
    body.value = examples[select.selectedIndex].querySelector("code").textContent;
  });
  return [labelled("Example", select)];
};

const formOf = (article) => {
  const server = make("input", { type: "url", required: true, autocomplete: "off", spellcheck: false, value: memory.server || usual(article) });
  const secrets = JSON.parse(article.dataset.schemes).filter((key) => api.schemes[key]?.kind && !UNSENT.includes(api.schemes[key].kind)).map((key) => {
    const input = make("input", { type: "text", className: "secret", autocomplete: "off", spellcheck: false, value: memory.keys.get(key) ?? "" });
    const hint = api.schemes[key].kind === "basic" ? " (user:password)" : "";
    return { key, input, label: labelled(`${key}${hint}: a test key; it is not stored`, input) };
  });
  const inputs = [...article.querySelectorAll(":scope > .fields > div")].flatMap((row) => {
    const term = row.querySelector(":scope > dt");
    const place = term.querySelector("small")?.textContent;
    if (!place || place === "cookie") return [];
    const name = term.querySelector("code").textContent;
    const { form, value = "" } = row.dataset;
    const input = make("input", { type: "text", autocomplete: "off", spellcheck: false, required: Boolean(term.querySelector("b")), value });
    return [{ parameter: { in: place, name, form }, input, label: labelled(`${name} (${place})${form === "raw" ? ", as text of the query" : ""}`, input) }];
  });
  const body = article.dataset.mediaType && make("textarea", { spellcheck: false, value: article.dataset.body });
  const answer = make("pre", { hidden: true }, make("code"));
  const form = make("form", { className: "try" },
    labelled("Server", server),
    ...secrets.map((each) => each.label),
    ...inputs.map((each) => each.label),
    ...(body ? [...exampleChoice(article, body), labelled(`Body (${article.dataset.mediaType})`, body)] : []),
    ...("noBody" in article.dataset ? [make("p", { className: "quiet", textContent: "This page cannot send a body of this media type; use curl." })] : []),
    make("button", { type: "submit", textContent: "Send" }),
    answer);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    memory.server = server.value;
    for (const { key, input } of secrets) memory.keys.set(key, input.value);
    const output = answer.querySelector("code");
    answer.hidden = false;
    output.textContent = "…";
    try {
      output.textContent = await shown(await fetch(...requestOf(article, inputs, body?.value)));
    } catch (error) {
      output.textContent = `No response: ${error.message}. Either the request is not valid, the server cannot be reached, or it does not let this page call it (CORS).`;
    }
  });
  return form;
};

const addTrying = (article) => {
  if (!isTryable(article)) return;
  const button = make("button", { type: "button", className: "trying", textContent: "Try it" });
  button.addEventListener("click", () => {
    const form = article.querySelector(":scope > form");
    if (form) form.remove();
    else button.after(formOf(article));
  });
  article.querySelector(":scope > .tabs").after(button);
};

// What an entry gets when it is opened first: most of a large page never is.
const enhanced = new WeakSet();
const enhance = (entry) => {
  if (enhanced.has(entry)) return;
  enhanced.add(entry);
  const article = entry.querySelector(":scope > article");
  entry.querySelectorAll("[data-same]").forEach(repeat);
  entry.querySelectorAll(".tabs").forEach(addTabs);
  showSample(article);
  entry.querySelectorAll("pre").forEach(addCopying);
  addTrying(article);
  addLinks(article);
};
document.addEventListener("toggle", ({ target }) => {
  if (target.open && target.matches(".entry")) enhance(target);
}, true);
document.querySelectorAll(".entry[open]").forEach(enhance);
if (location.hash) reveal();
