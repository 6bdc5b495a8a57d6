// The wait for a server that answers again after some seconds.

import { whenVisible } from "./visibility.js";

let waiting = 0;

/**
 * Waits in silence: the mark on the page keeps what is shown, dimmed. An abort ends the wait.
 * @param {number} seconds
 * @param {AbortSignal | undefined} signal
 */
export async function rest(seconds, signal) {
  const { dataset } = document.documentElement;
  waiting += 1;
  dataset.waiting = "";
  await new Promise((resume) => {
    setTimeout(resume, seconds * 1000);
    signal?.addEventListener("abort", resume);
  });
  waiting -= 1;
  if (!waiting) delete dataset.waiting;
  signal?.throwIfAborted();
  await whenVisible();
}
