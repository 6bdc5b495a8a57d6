// The request for the records of the list.

import { get } from "../../shared/api.js";

/**
 * The page of records of these parameters, and the sums of all that they find; throws ApiError, or the abort of `signal`.
 * @param {ManyParams} params
 * @param {AbortSignal} signal
 * @param {boolean} waits Whether it waits in silence where the server asks for it.
 * @returns {Promise<Paged<ListedRecord>>}
 */
export async function readList(params, signal, waits) {
  try {
    return await get("/api/records", { ...params, columns: "purpose", sums: "1" }, signal);
  } catch (error) {
    if (error.status !== 429 || !waits || signal.aborted) throw error;
    await new Promise((resume) => { setTimeout(resume, (error.retryAfter || 1) * 1000); });
    signal.throwIfAborted();
    return readList(params, signal, waits);
  }
}
