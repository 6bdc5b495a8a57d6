// Language and theme on the pages before the sign-in.

import "./offline_page.js";
import { keepChoice } from "./browser_choice.js";
import { byId, find, targetOf } from "./page_elements.js";

const part = find(byId("content"), "[data-appearance]");
const theme = find(part, "[name=theme]", HTMLSelectElement);

part.addEventListener("click", (event) => {
  const language = targetOf(event).closest("[data-language]")?.dataset.language;
  if (!language) return;
  keepChoice("language", language);
  // Not `reload`, which would send a form again. The form holds where the sign-in leads.
  const next = document.querySelector("input[name=next]");
  const params = next instanceof HTMLInputElement ? `?${new URLSearchParams({ next: next.value })}` : location.search;
  location.replace(location.pathname + params);
});

theme.addEventListener("change", () => {
  keepChoice("theme", theme.value === "auto" ? "" : theme.value);
  document.documentElement.dataset.theme = theme.value;
});
