// The answers that the overview shows.

import { Ledger } from "../../charts/ledger_days.js";
import { namesOf } from "../../shared/filter_names.js";
import { loadNames, showModels } from "../../shared/model_colours.js";
import { ask } from "../../shared/page_reads.js";
import { cover } from "../../shared/periods.js";

// Milliseconds that charts wait for the ledger.
const SOON = 250;

/**
 * The answers for filters and a comparison, as promises by name.
 * @param {Pick<State, "model" | "client" | "purpose">} state
 * @param {Span} span
 * @param {string} compare
 * @param {AbortSignal} signal
 */
export function readsFor(state, span, compare, signal) {
  const filters = { span, named: namesOf(state), compare, signal };
  /** @type {Promise<Summary>} */
  const summary = ask("summary", filters);
  /** @type {Promise<Dims>} */
  const dims = ask("dims", filters);
  /** @type {Promise<Budget[]>} */
  const budgets = ask("budgets", { signal }).then(({ items }) => items);
  const coverage = coverageFor(filters, summary);
  // Hatching is left out if this is unknown.
  const ledger = coverage.then((days) => new Ledger(days), () => undefined);
  return {
    summary,
    // If this is unknown, each part shows what it has.
    hasCalls: summary.then(({ calls }) => calls > 0, () => true),
    /** @type {Promise<Daily>} */
    daily: ask("daily", filters),
    /** @type {Promise<Daily | null>} */
    earlier: compare ? ask("earlier", filters) : Promise.resolve(null),
    dims,
    // Without it the month is shown without its end.
    /** @type {Promise<Forecast | null>} */
    forecast: ask("forecast", { signal }).catch(() => null),
    budgets,
    // As for the ledger: the day charts have a line at the budget of a day.
    soonBudgets: soon(budgets),
    coverage,
    ledger,
    // It arrives with the other answers as a rule; charts that do not wait for it would be drawn twice.
    soonLedger: soon(ledger),
    /** @type {Promise<TopCall[]>} */
    top: ask("top", filters),
    // The names also set the colours of the models that are shown; if `dims` fails, the usual colours stay.
    names: loadNames().then(() => dims.then(({ model: models }) => showModels(models), () => {})),
  };
}

/** Whether anything is archived. */
export async function hasRecords() {
  try {
    return (await loadNames()).models.length > 0;
  } catch {
    // The parts report the error and can be tried again.
    return true;
  }
}

/**
 * Which of the days that were read have no calls.
 * @param {Daily} daily
 * @param {Span} span
 */
export function quietDays({ days }, { from = "" }) {
  const withCalls = new Set(days.map(({ d }) => d));
  return (/** @type {string} */ day) => day >= from && !withCalls.has(day);
}

/**
 * Waits a moment for an answer, whether it comes or not.
 * @param {Promise<unknown>} answer
 * @returns {Promise<void>}
 */
const soon = (answer) => Promise.race([answer.then(() => {}, () => {}), new Promise((done) => setTimeout(done, SOON))]);

/**
 * The ledger of the period and the calendar; once it is known that the days of comparison begin earlier, also of those.
 * @param {{span: Span, signal: AbortSignal}} filters
 * @param {Promise<Summary>} summary
 * @returns {Promise<Coverage>}
 */
async function coverageFor({ span, signal }, summary) {
  /** @type {Promise<Coverage>} */
  const usual = ask("coverage", { span, signal });
  // If the comparison is unknown, nothing is said of its days. Both are awaited at once: either may fail first.
  const [coverage, figures] = await Promise.all([usual, summary.catch(() => null)]);
  const { from, to } = figures?.comparison?.window ?? {};
  if (!from || !to || from >= (coverage.days[0]?.d ?? "")) return coverage;
  return ask("coverage", { span: cover([span, { from, to }]), signal });
}
