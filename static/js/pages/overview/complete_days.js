// What the ledger proves of a day.

/** @type {Set<DayState>} All calls of such a day are here, if the service has counted them. */
const COMPLETE = new Set(["settled", "checked", "stripped"]);

/** @param {CoverageDay} day */
export const isComplete = (day) => COMPLETE.has(day.state) && day.upstream !== null;

/**
 * Whether nothing says that calls of a day are missing, and no count proves that none are, as after an adoption.
 * @param {CoverageDay} day
 */
export const isUncounted = (day) => COMPLETE.has(day.state) && day.upstream === null;
