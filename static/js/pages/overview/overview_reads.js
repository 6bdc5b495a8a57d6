// The answers that the overview shows.

import { namesOf } from "../../shared/filter_names.js";
import { loadNames, showModels } from "../../shared/model_colours.js";
import { ask } from "../../shared/reads.js";

/**
 * The answers for filters, as promises by name.
 * @param {Pick<State, "model" | "client">} state
 * @param {Span} span
 * @param {AbortSignal} signal
 */
export function readsFor(state, span, signal) {
  const filters = { span, named: namesOf(state), signal };
  /** @type {Promise<Summary>} */
  const summary = ask("summary", filters);
  /** @type {Promise<Dims>} */
  const dims = ask("dims", filters);
  return {
    summary,
    // Where that cannot be told, each part tells what it knows.
    hasCalls: summary.then(({ calls }) => calls > 0, () => true),
    /** @type {Promise<Daily>} */
    daily: ask("daily", filters),
    dims,
    /** @type {Promise<TopCall[]>} */
    top: ask("top", filters),
    // With the names come the colours of what is shown; where those cannot be told, the usual ones stay.
    names: loadNames().then(() => dims.then(({ model: models }) => showModels(models), () => {})),
  };
}
