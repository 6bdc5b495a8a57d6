// The ledger of all days on the page of runs: its strip, and the buttons that verify days and fetch older ones.

import { at } from "../../shared/addresses.js";
import { StateStrip } from "../../charts/state_strip.js";
import { byYear } from "../../charts/strip_layouts.js";
import { get, post } from "../../shared/api.js";
import { onReturn } from "../../shared/connection.js";
import { daysDialog } from "../../shared/days_dialog.js";
import { openFetching } from "../../shared/fetch_dialog.js";
import { clear, onSubmit } from "../../shared/form_fields.js";
import { day as dayOf, dayFrom } from "../../shared/formats.js";
import { byId, find } from "../../shared/page_elements.js";

const USUAL_DAYS = 31;
const card = byId("ledger");
const failed = find(card, "[data-failed]");
const older = byId("older", HTMLDialogElement);
const asking = find(older, "form", HTMLFormElement);
const strip = new StateStrip(card, byYear, openFetching);
const proving = daysDialog("prove", async (span) => followTo(await post("/api/verify", span)));

find(card, "[data-prove]").addEventListener("click", () => proving.open({ from: dayFrom(today(), -USUAL_DAYS), to: dayFrom(today(), -1) }));
find(card, "[data-older]").addEventListener("click", () => { clear(asking); older.showModal(); });
find(older, "[data-cancel]").addEventListener("click", () => older.close());
onSubmit(asking, async () => followTo(await post("/api/collect/older")));
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

/** @param {{run_id: number}} answer */
function followTo({ run_id: id }) {
  location.assign(at(`/runs/${id}`));
}
