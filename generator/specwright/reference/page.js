"use strict";
// Search, copying, the current section, and requests to try. Without this, all is readable.
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

// Search: articles of this page by all their text, links of other pages by title and path.
const search = document.getElementById("search");
const links = [...document.querySelectorAll("nav .group li a")];
const targets = new Map(links.map((link) => {
  const found = link.hash && document.getElementById(decodeURIComponent(link.hash.slice(1)));
  const here = link.getAttribute("href").startsWith("#") ? found : null;
  return [link, here && here.closest("details.entry")];
}));
const groups = [...document.querySelectorAll("nav .group, details.section")];
const opened = groups.map((group) => group.open);
let texts = null;

const find = () => {
  texts ||= new Map(links.map((link) => [
    link, `${link.textContent} ${link.title} ${targets.get(link)?.textContent ?? ""}`.toLowerCase(),
  ]));
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const link of links) {
    const isFound = words.every((word) => texts.get(link).includes(word));
    link.parentElement.hidden = !isFound;
    const entry = targets.get(link);
    if (entry) entry.hidden = !isFound;
  }
  groups.forEach((group, at) => {
    const inside = [...group.querySelectorAll("li, details.entry")];
    group.hidden = words.length > 0 && inside.every((each) => each.hidden);
    group.open = words.length > 0 || opened[at];
  });
};
search.closest("label").hidden = false;
search.addEventListener("input", find);

// The current section.
const seen = new Set();
const byEntry = new Map([...targets].filter(([, entry]) => entry).map(([link, entry]) => [entry, link]));
const watcher = new IntersectionObserver((changes) => {
  for (const { target, isIntersecting } of changes) {
    if (isIntersecting) seen.add(target); else seen.delete(target);
  }
  const current = [...byEntry.keys()].find((entry) => seen.has(entry));
  for (const [entry, link] of byEntry) {
    if (entry === current) link.setAttribute("aria-current", "location");
    else link.removeAttribute("aria-current");
  }
}, { rootMargin: "-10% 0px -70% 0px" });
byEntry.forEach((link, entry) => watcher.observe(entry));

// A link to an entry opens it.
const reveal = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let each = target.closest("details"); each; each = each.parentElement.closest("details")) {
    each.open = true;
  }
  target.scrollIntoView();
};
addEventListener("hashchange", reveal);

// Copying.
const copy = async (pre, button) => {
  const text = pre.querySelector("code").textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages that are not served by HTTPS may only copy a selection.
    getSelection().selectAllChildren(pre.querySelector("code"));
    document.execCommand("copy");
    getSelection().removeAllRanges();
  }
  button.textContent = "Copied";
};

const addCopying = (within) => {
  for (const pre of within.querySelectorAll("pre:not(:has(> button))")) {
    if (!pre.querySelector("code")) continue;
    const button = make("button", { type: "button", textContent: "Copy" });
    button.addEventListener("click", () => copy(pre, button));
    pre.append(button);
  }
};

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
  let path = article.dataset.path;
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
    method: article.dataset.method,
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

const formOf = (article) => {
  const server = make("input", { type: "url", required: true, autocomplete: "off", spellcheck: false, value: memory.server || usual(article) });
  const secrets = JSON.parse(article.dataset.schemes).filter((key) => api.schemes[key]?.kind && !UNSENT.includes(api.schemes[key].kind)).map((key) => {
    const input = make("input", { type: "text", className: "secret", autocomplete: "off", spellcheck: false, value: memory.keys.get(key) ?? "" });
    const hint = api.schemes[key].kind === "basic" ? " (user:password)" : "";
    return { key, input, label: labelled(`${key}${hint}: a test key; it is not stored`, input) };
  });
  const inputs = [...article.querySelectorAll(":scope > .fields > [data-in]")].filter((row) => row.dataset.in !== "cookie").map((row) => {
    const { in: place, name, form, value } = row.dataset;
    const input = make("input", { type: "text", autocomplete: "off", spellcheck: false, required: "required" in row.dataset, value });
    return { parameter: { in: place, name, form }, input, label: labelled(`${name} (${place})${form === "raw" ? ", as text of the query" : ""}`, input) };
  });
  const body = article.dataset.mediaType && make("textarea", { spellcheck: false, value: article.dataset.body });
  const answer = make("pre", { hidden: true }, make("code"));
  const form = make("form", { className: "try" },
    labelled("Server", server),
    ...secrets.map((each) => each.label),
    ...inputs.map((each) => each.label),
    ...(body ? [labelled(`Body (${article.dataset.mediaType})`, body)] : []),
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
  if (!article.dataset.method || article.querySelector(":scope > .trying")) return;
  const button = make("button", { type: "button", className: "trying", textContent: "Try it" });
  button.addEventListener("click", () => {
    const form = article.querySelector(":scope > form");
    if (form) form.remove();
    else button.after(formOf(article));
  });
  const last = [...article.querySelectorAll(":scope > .sample")].pop();
  last.after(button);
};

const enhance = (details) => {
  addCopying(details);
  const article = details.querySelector(":scope > article");
  if (article) addTrying(article);
};
document.addEventListener("toggle", (event) => event.target.open && enhance(event.target), true);
document.querySelectorAll("details[open]:not(.section, .group)").forEach(enhance);
addCopying(document.getElementById("content").querySelector(":scope > pre")?.parentElement ?? make("div"));
if (location.hash) reveal();
