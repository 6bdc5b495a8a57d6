// The answers that the overview shows.

import { namesOf } from "../../shared/filter_names.js";
import { loadNames, showModels } from "../../shared/model_colours.js";
import { ask } from "../../shared/page_reads.js";

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
  return {
    summary,
    // If this is unknown, each part shows what it has.
    hasCalls: summary.then(({ calls }) => calls > 0, () => true),
    /** @type {Promise<Daily>} */
    daily: ask("daily", filters),
    /** @type {Promise<Daily | null>} */
    earlier: compare ? ask("earlier", filters) : Promise.resolve(null),
    dims,
    /** @type {Promise<Coverage>} */
    coverage: ask("coverage", filters),
    /** @type {Promise<TopCall[]>} */
    top: ask("top", filters),
    // The names also set the colours of the models that are shown; if `dims` fails, the usual colours stay.
    names: loadNames().then(() => dims.then(({ model: models }) => showModels(models), () => {})),
  };
}
