// The part of the overview that says what is left of packages of credits. It depends on no filter.

import { get } from "../../shared/api.js";
import { onReturn } from "../../shared/connection.js";
import { credits } from "../../shared/formats.js";
import { find } from "../../shared/page_elements.js";
import { wordsOf } from "./package_words.js";
import { fillPart } from "./part_filling.js";

begin(find(document, '[data-part="packages"]'));

/** @param {HTMLElement} part */
function begin(part) {
  let reading = new AbortController();
  const load = () => {
    reading.abort();
    reading = new AbortController();
    const { signal } = reading;
    return fillPart(part, "packages", () => get("/api/packages", {}, signal), (packages) => show(part, packages), signal);
  };
  find(part, "[data-again]").addEventListener("click", load);
  document.addEventListener("archive:collected", load);
  document.addEventListener("archive:status", ({ detail }) => { if (detail.ended) load(); });
  onReturn(load);
  return load();
}

/**
 * Shows what is left; nothing where the account has no packages.
 * @param {HTMLElement} part
 * @param {Packages} packages
 */
function show(part, packages) {
  part.hidden = !packages.items.length;
  find(part, "[data-left]").textContent = credits(packages.left);
  find(part, "[data-words]").textContent = wordsOf(packages);
}
