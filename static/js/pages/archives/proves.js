// Which archive the bills of another one prove.

import { formOf } from "./dialog_fields.js";
import { fieldOf, findAll } from "../../shared/page_elements.js";

/**
 * Offers the archives of calls, and shows the one that an archive proves.
 * @param {HTMLDialogElement} dialog
 * @param {HTMLElement} cards
 * @param {DOMStringMap} card
 */
export function fillProves(dialog, cards, { proves = "" }) {
  const select = fieldOf(formOf(dialog), "proves", HTMLSelectElement);
  const provable = findAll(cards, "[data-provable]").map(({ dataset }) => new Option(dataset.label, dataset.archiveCard));
  select.replaceChildren(select.options[0], ...provable);
  select.value = proves;
}

/**
 * The id of the archive that is chosen; null for none.
 * @param {HTMLDialogElement} dialog
 */
export const typedProves = (dialog) => Number(fieldOf(formOf(dialog), "proves", HTMLSelectElement).value) || null;
