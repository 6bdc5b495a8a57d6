// The line of the overview that says in words what the period came to.

import { sentenceOf } from "./sentence.js";
import { knownStatus } from "../../shared/status_polling.js";
import { byId } from "../../shared/page_elements.js";
import { nameOfPeriod } from "../../shared/periods.js";
import { write } from "../../shared/sentences_with_links.js";

/** @typedef {ReturnType<typeof import("./overview_reads.js").readsFor>} Reads */

/**
 * Writes the line once its reads are complete, and leaves out what failed.
 * @param {HTMLElement} line
 * @param {Reads} reads
 * @param {boolean} isOther Whether the line says something of other filters until then.
 * @param {(daily: Daily) => Pick<import("./sentence.js").Asked, "span" | "first" | "today" | "state">} seen
 * @param {AbortSignal} signal
 */
export async function fillSentence(line, reads, isOther, seen, signal) {
  line.setAttribute("aria-busy", "true");
  line.toggleAttribute("data-old", isOther);
  const [summary, daily, dims, top, forecast, budgets, ledger] = await Promise.all([
    orNull(reads.summary), orNull(reads.daily), orNull(reads.dims), orNull(reads.top), reads.forecast, orNull(reads.budgets), reads.ledger,
  ]);
  if (signal.aborted) return;
  const known = summary && daily && { ...askedOf(seen(daily)), summary, dims, top, forecast, budgets, ledger, readUntil: readUntil(line) };
  write(line, known ? sentenceOf(known) : []);
  line.removeAttribute("data-old");
  line.setAttribute("aria-busy", "false");
}

/**
 * What the line is about, with the name of its period.
 * @template {Pick<import("./sentence.js").Asked, "state">} Seen
 * @param {Seen} seen
 */
const askedOf = (seen) => ({ ...seen, label: nameOfPeriod(byId("filters"), seen.state.period) });

/**
 * The time until which everything was read: as the page said when it was rendered, or the end of a later run.
 * @param {HTMLElement} line
 */
function readUntil({ dataset: { readUntil: rendered = "" } }) {
  const run = knownStatus()?.last_run;
  const later = run?.status === "ok" && run.kind === "collection" ? run.win_to ?? "" : "";
  return later > rendered ? later : rendered;
}

/**
 * @template T
 * @param {Promise<T>} read
 * @returns {Promise<T | null>}
 */
const orNull = (read) => read.catch(() => null);
