// A period without calls: the page says so, offers what has some, and hides the parts that would be empty.

import { DIMS } from "../../shared/filter_names.js";
import { find, findAll } from "../../shared/page_elements.js";

/**
 * Wires the buttons; returns what shows whether the filters leave any calls.
 * @param {HTMLElement} overview
 * @param {(changes: Partial<State>) => void} set Changes the filters.
 */
export function bindNoCalls(overview, set) {
  const none = find(overview, "[data-none]");
  const [allDays, allNames] = ["[data-all-days]", "[data-all-names]"].map((place) => find(none, place));
  allDays.addEventListener("click", () => set({ period: "all" }));
  allNames.addEventListener("click", () => set({ model: "", client: "", purpose: "" }));

  /** @type {(isSome: boolean, isElsewhere: boolean, state: State) => void} */
  return (isSome, isElsewhere, state) => {
    for (const node of findAll(overview, "[data-some]")) node.hidden = !isSome;
    none.hidden = isSome;
    find(none, "[data-none-other]").hidden = !isElsewhere;
    allDays.hidden = state.period === "all";
    allNames.hidden = DIMS.every((dim) => !state[dim]);
  };
}
