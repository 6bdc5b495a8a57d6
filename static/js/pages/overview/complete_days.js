// What the ledger proves of a day.

/** @type {Set<DayState>} All calls of such a day that the service lists are here, if it has counted them. */
const COMPLETE = new Set(["proved", "settled", "checked", "stripped", "surplus"]);

/** @param {CoverageDay} day */
export const isComplete = (day) => COMPLETE.has(day.state) && day.upstream !== null;

/**
 * Whether nothing says that calls of a day are missing, and no count proves that none are, as after an adoption.
 * @param {CoverageDay} day
 */
export const isUncounted = (day) => COMPLETE.has(day.state) && day.upstream === null;
