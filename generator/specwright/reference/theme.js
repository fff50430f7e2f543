"use strict";
// The theme that the reader has chosen, before anything is shown.
const THEME = "specwright.theme";
// A browser may keep nothing, or refuse to say what it keeps.
const stored = (key) => {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
};
const store = (key, value) => {
  try {
    if (value) localStorage.setItem(key, value);
    else localStorage.removeItem(key);
  } catch {
    // The choice lasts as long as the page.
  }
};
const wear = (theme) => {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
};
wear(stored(THEME));
