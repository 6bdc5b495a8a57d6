// The backups as their table is copied and saved: a column for each value, and the whole checksum.

import { gettext } from "../../shared/i18n.js";
import { findAll } from "../../shared/page_elements.js";

/**
 * @param {HTMLTableElement} table
 * @param {Backup[]} backups
 * @param {(backup: Backup) => {trigger: string, checked: string}} wordsFor
 * @returns {import("../../shared/table_texts.js").Cell[][]}
 */
export function takenRows(table, backups, wordsFor) {
  const [created, ...others] = findAll(table, "thead th:not([data-left-out])").map(({ textContent }) => textContent ?? "");
  return [
    [created, gettext("File"), "SHA-256", gettext("State"), ...others],
    ...backups.map((backup) => {
      const { created_at: at, name, sha256, valid, note, accounts, records, size_human: size } = backup;
      const { trigger, checked } = wordsFor(backup);
      return [at, name, sha256, valid ? checked || null : gettext("cannot be read"), trigger, note || null, accounts, records, size];
    }),
  ];
}
