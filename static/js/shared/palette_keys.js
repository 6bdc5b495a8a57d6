// The keys of every page, and the command palette, whose script is loaded when it is first opened.

import { at } from "./addresses.js";
import { gettext } from "./i18n.js";
import { bindKeys, bindPairs, showKeys } from "./keys.js";
import { byId, find, findAll } from "./page_elements.js";
import { leaveMenuOf } from "./pop_menu.js";

const palette = byId("palette", HTMLDialogElement);
const field = find(palette, "input", HTMLInputElement);
const failed = find(palette, "[data-failed]");
/** @type {Record<string, string>} */
const PAGES = { o: "/", r: "/records", u: "/runs", s: "/config" };
let isChosen = false;

for (const button of findAll(document, "[data-palette]")) button.addEventListener("click", () => { leaveMenuOf(button); open(); });
for (const key of findAll(document, "[data-command-key]")) if (navigator.platform.startsWith("Mac")) key.textContent = "⌘";
document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
  // The browser would search the web.
  event.preventDefault();
  if (palette.open) palette.close();
  else open();
});
bindPairs("g", Object.fromEntries(Object.entries(PAGES).map(([key, path]) => [key, () => location.assign(at(path))])));
bindKeys({ "?": showKeys });
field.addEventListener("keydown", ({ key, isComposing }) => { isChosen ||= key === "Enter" && !isComposing; });

async function open() {
  // A dialog that asks for something has to be answered first.
  if (document.querySelector("dialog:modal:not(#record, #keys)")) return;
  byId("keys", HTMLDialogElement).close();
  field.value = "";
  isChosen = false;
  failed.hidden = true;
  // At once: what is typed while the script loads counts, and so does the Enter key.
  palette.showModal();
  const script = await import(palette.dataset.script ?? "").catch(() => null);
  if (script) script.show(isChosen);
  else fail();
}

function fail() {
  failed.textContent = gettext("The server cannot be reached.");
  failed.hidden = false;
}
