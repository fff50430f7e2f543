// Reads a page as a person does, also behind the borders of shadow trees.
window.reading = (() => {
  const all = (root = document) => [...root.querySelectorAll("*")]
    .flatMap((element) => [element, ...(element.shadowRoot ? all(element.shadowRoot) : [])]);
  const own = (element) => [...element.childNodes]
    .filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join("").trim();
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true });
  const SILENT = "script, style, noscript, template";
  const visible = () => all().filter((element) => !element.matches(SILENT) && isShown(element));
  const label = (element) => [
    element.getAttribute("aria-label"), element.title, element.placeholder, element.textContent,
    ...[...(element.labels ?? [])].map((words) => words.textContent),
    ...[...element.querySelectorAll("svg")].map((icon) => icon.dataset.icon),
  ].filter(Boolean).join(" ").replace(/\s+/g, " ").trim();
  const CONTROLS = "a, button, input, select, summary, [role=button], [role=switch], [role=tab],"
    + "[role=menuitem], [role=option], [tabindex='0']";

  // The text of all that is shown.
  const text = () => visible().map(own).filter(Boolean).join("\n");
  // Whether a control that is shown has a label of this form.
  const hasControl = (form) => visible().some((element) =>
    element.matches(CONTROLS) && label(element).length < 80 && form.test(label(element)));
  const menus = (selector) => all().filter((element) => element.matches(selector) && isShown(element));
  // The smallest element of the contents that has a text.
  const entry = (selector, words) => menus(selector)
    .flatMap((menu) => [...menu.querySelectorAll("*")])
    .filter((element) => isShown(element) && element.textContent.includes(words)).pop();
  // Unfold the groups of the contents, one after the other, until a text is shown there. Some tools
  // show one open group at a time, and groups lie in each other.
  const reveal = async (selector, groups, words) => {
    const clicked = new Set();
    const next = () => menus(selector).flatMap((menu) => [...menu.querySelectorAll(groups)])
      .find((group) => isShown(group) && !clicked.has(group));
    for (let group = next(); group && !entry(selector, words); group = next()) {
      clicked.add(group);
      group.click();
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  };
  // The text of the line of the contents that has a text: of its largest element that is as high.
  const line = (selector, words) => {
    let element = entry(selector, words);
    if (!element) return "";
    const height = Math.max(element.getBoundingClientRect().height, 24) * 1.6;
    while (element.parentElement && element.parentElement.getBoundingClientRect().height < height) {
      element = element.parentElement;
    }
    return label(element);
  };
  const focused = () => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element;
  };
  const isTyping = () => Boolean(focused()?.matches("input, textarea, [contenteditable=true], [role=combobox]"));
  // Whether a text outside of the contents is on the screen.
  const isOnScreen = (selector, words) => visible().some((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return own(element).includes(words) && !element.closest(selector) && bottom > 0 && top < innerHeight;
  });
  const links = () => visible().filter((element) => element.href).map((element) => element.href);
  // All text, shown or not.
  const everything = () => all().filter((element) => !element.matches(SILENT))
    .map(own).filter(Boolean).join("\n");
  // Open all that a reader can open, but for links.
  const openAll = async () => {
    for (const element of visible()) {
      const opens = element.matches("[aria-expanded=false], [aria-haspopup=listbox]")
        || (element.matches("button, [role=button]") && /\b(details|scopes)\b/i.test(label(element)));
      if (opens) element.click();
      if (element.matches("details")) element.open = true;
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  };
  return {
    text, hasControl, reveal, entry, line, isTyping, isOnScreen, links, everything, openAll,
  };
})();
0;
