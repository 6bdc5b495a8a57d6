// The ledger of all days on the page of runs: its strip, and the buttons that verify days and fetch older ones.

import { at } from "../../shared/addresses.js";
import { StateStrip } from "../../charts/state_strip.js";
import { byYear } from "../../charts/strip_layouts.js";
import { get, post } from "../../shared/api.js";
import { onReturn } from "../../shared/connection.js";
import { daysDialog } from "../../shared/days_dialog.js";
import { openFetching } from "../../shared/fetch_dialog.js";
import { day as dayOf, dayFrom } from "../../shared/formats.js";
import { byId, find } from "../../shared/page_elements.js";

const USUAL_DAYS = 31;
const card = byId("ledger");
const failed = find(card, "[data-failed]");
const refused = find(card, "[data-refused]");
const older = find(card, "[data-older]", HTMLButtonElement);
const strip = new StateStrip(card, byYear, openFetching);
const proving = daysDialog("prove", async (span) => followTo(await post("/api/verify", span)));

find(card, "[data-prove]").addEventListener("click", () => proving.open({ from: dayFrom(today(), -USUAL_DAYS), to: dayFrom(today(), -1) }));
older.addEventListener("click", fetchOlder);
find(card, "[data-again]").addEventListener("click", load);
document.addEventListener("archive:collected", load);
onReturn(load);
document.addEventListener("archive:status", ({ detail }) => { if (detail.ended) load(); });
load();

const today = () => dayOf(byId("runs").dataset.now);

async function load() {
  try {
    /** @type {Coverage} */
    const { days } = await get("/api/coverage");
    failed.hidden = true;
    // Before the first run and the first record there is only today.
    card.hidden = days.every(({ state }) => state === "open");
    if (!card.hidden) strip.show(days);
  } catch (error) {
    card.hidden = false;
    find(failed, "[data-failed-text]").textContent = error.message;
    failed.hidden = false;
  }
  card.setAttribute("aria-busy", "false");
}

async function fetchOlder() {
  refused.hidden = true;
  older.disabled = true;
  try {
    followTo(await post("/api/collect/older"));
  } catch (error) {
    refused.textContent = error.message;
    refused.hidden = false;
  } finally {
    older.disabled = false;
  }
}

/** @param {{run_id: number}} answer */
function followTo({ run_id: id }) {
  location.assign(at(`/runs/${id}`));
}
