// A dialog that asks for a span of days (`days_dialog.html`).

import { clear, onSubmit, say } from "./form_fields.js";
import { gettext } from "./i18n.js";
import { byId, fieldOf, find } from "./page_elements.js";

/**
 * The dialog with an id; `send` gets the days, and what it throws is shown in the dialog. `complaint` checks the days.
 * @param {string} id
 * @param {(span: Required<Span>) => Promise<void> | void} send
 * @param {(span: Required<Span>) => string} [complaint]
 */
export function daysDialog(id, send, complaint = () => "") {
  const dialog = byId(id, HTMLDialogElement);
  const form = find(dialog, "form", HTMLFormElement);
  const [first, last] = ["from", "to"].map((name) => fieldOf(form, name));
  find(dialog, "[data-cancel]").addEventListener("click", () => dialog.close());
  onSubmit(form, async () => {
    const span = { from: first.value, to: last.value };
    const wrong = span.from && span.to && span.from <= span.to ? complaint(span) : gettext("Choose a first day and a last day that is not before it.");
    if (wrong) {
      say(last, wrong);
      last.focus();
      return;
    }
    await send(span);
    dialog.close();
  });
  return {
    /** @type {(span: Required<Span>, words?: string) => void} */
    open: ({ from, to }, words = "") => {
      clear(form);
      [first.value, last.value] = [from, to];
      find(dialog, "[data-days]").textContent = words;
      find(dialog, "[data-days]").hidden = !words;
      dialog.showModal();
    },
  };
}
