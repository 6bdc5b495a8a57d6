// The dialog that sets, changes or deletes a budget. Loaded when it is first opened.

import { post } from "../../shared/api.js";
import { clear, onSubmit, refuse, say } from "../../shared/form_fields.js";
import { gettext } from "../../shared/i18n.js";
import { loadNames } from "../../shared/model_colours.js";
import { byId, fieldOf, find } from "../../shared/page_elements.js";

document.body.append(byId("budget-form", HTMLTemplateElement).content);
const dialog = byId("budget", HTMLDialogElement);
const form = find(dialog, "form", HTMLFormElement);
const remove = find(dialog, "[data-delete]");
const period = fieldOf(form, "period", HTMLSelectElement);
const [model, client] = ["model", "client"].map((name) => fieldOf(form, name, HTMLSelectElement));
const [amount, first, thresholds] = ["credits", "first_day", "thresholds"].map((name) => fieldOf(form, name));
const USUAL = [50, 80, 100];
/** @type {Budget | null} The budget that is changed; null for a new one. */
let changed = null;
/** @type {(message: string) => void} */
let tell = () => {};

period.addEventListener("change", showFirstDay);
find(dialog, "[data-cancel]").addEventListener("click", () => dialog.close());
onSubmit(form, () => send("/api/budgets", given()));
remove.addEventListener("click", () => {
  clear(form);
  send(`/api/budgets/${changed?.id}/delete`, {}).catch((error) => refuse(form, error.message));
});

/**
 * Opens the dialog; `onDone` gets the message once a budget was saved or deleted.
 * @param {Budget | null} budget
 * @param {(message: string) => void} onDone
 */
export async function openBudget(budget, onDone) {
  [changed, tell] = [budget, onDone];
  clear(form);
  find(dialog, "h2").textContent = budget ? gettext("Change the budget") : gettext("Set a budget");
  remove.hidden = !budget;
  period.value = budget?.period ?? "month";
  amount.value = budget ? String(budget.credits) : "";
  first.value = String(budget?.first_day ?? 1);
  thresholds.value = (budget?.thresholds ?? USUAL).join(", ");
  showFirstDay();
  // Without the list, what is chosen already can still be kept.
  const names = await loadNames().catch(() => ({ models: [], clients: [] }));
  offer(model, names.models, budget?.model ?? "");
  offer(client, names.clients, budget?.client ?? "");
  dialog.showModal();
  amount.focus();
}

/**
 * @param {HTMLSelectElement} field
 * @param {string[]} names
 * @param {string} chosen
 */
function offer(field, names, chosen) {
  const all = field.options[0];
  const offered = [...new Set([...names, chosen])].filter(Boolean);
  field.replaceChildren(all, ...offered.map((name) => new Option(name, name)));
  field.value = chosen;
}

function showFirstDay() {
  find(form, "[data-of-month]").hidden = period.value !== "month";
}

/** What was entered; the server refuses what is no number. */
function given() {
  const percents = thresholds.value.split(/[\s,;，；、%]+/).filter(Boolean).map(Number);
  return {
    ...(changed && { id: changed.id }),
    period: period.value, credits: amount.value, model: model.value, client: client.value, thresholds: percents,
    ...(period.value === "month" && { first_day: Number(first.value) }),
  };
}

/**
 * @param {string} path
 * @param {object} body
 */
async function send(path, body) {
  try {
    const { message } = await post(path, body);
    dialog.close();
    tell(message);
  } catch (error) {
    const field = form.elements.namedItem(error.body?.field ?? "");
    if (!(field instanceof HTMLElement)) throw error;
    say(field, error.message);
    field.focus();
  }
}
