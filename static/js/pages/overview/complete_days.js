// What the ledger proves of a day.

/** @type {Set<DayState>} All calls of such a day are here. */
const COMPLETE = new Set(["settled", "checked", "stripped"]);

/** @param {CoverageDay} day */
export const isComplete = ({ state }) => COMPLETE.has(state);
