// The frame's quiet status: when the last collection was and how it went, and the one banner when there is something to say.

import { get } from "archive/api";
import { ago, minutes, whole } from "archive/formats";

const WORDS = { ok: "", failed: "failed", interrupted: "interrupted" };
const COOKIE_CODES = new Set([2, 3, 4]);
const lastRun = document.getElementById("last-run");
const banner = document.getElementById("banner");

/** Reads /api/status and shows it; the answer, or null where it cannot be had. */
export async function loadStatus() {
  try {
    const status = await get("/api/status");
    showLastRun(status);
    showBanner(status);
    return status;
  } catch (error) {
    lastRun.textContent = "Status unknown";
    lastRun.title = error.message;
    lastRun.dataset.outcome = "unknown";
    lastRun.hidden = false;
    return null;
  }
}

/** Whether a failed run is mended by another cookie or user agent, which the settings page takes. */
export const mendedBySettings = (run) => COOKIE_CODES.has(run.exit_code);

function showLastRun({ last_run: run, server_time: now }) {
  lastRun.hidden = !run?.finished_at;
  if (lastRun.hidden) return;
  const word = WORDS[run.status] ?? run.status;
  lastRun.textContent = [word && `Collection ${word}`, ago(run.finished_at, now)].filter(Boolean).join(" ");
  if (!word) lastRun.textContent = `Collected ${lastRun.textContent}`;
  lastRun.dataset.outcome = run.status;
  lastRun.title = `${minutes(run.finished_at)}: ${whole(run.fetched)} fetched, ${whole(run.added)} new, ${whole(run.dup)} known. ${run.message ?? ""}`;
}

function showBanner(status) {
  const [text, linked] = bannerFor(status);
  banner.hidden = !text;
  banner.textContent = text;
  if (linked && location.pathname !== "/config") {
    const link = document.createElement("a");
    link.href = "/config";
    link.textContent = "Open settings";
    banner.append(" ", link);
  }
}

function bannerFor({ cookie_broken: broken, cookie_set: set, last_run: run }) {
  if (broken) return ["Your cookie cannot be read any more: paste it again.", true];
  if (!set && run) return ["No cookie is set, so nothing new is collected.", true];
  if (run?.status === "failed") return [`The last collection failed. ${run.message ?? ""}`, mendedBySettings(run)];
  return ["", false];
}
