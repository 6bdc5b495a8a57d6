// Hidden pages ask for nothing: what a timer would read waits until somebody sees the page again.

/** Resolves at once in a visible page, otherwise when it becomes visible. */
export async function whenVisible() {
  while (document.hidden) await new Promise((resume) => { document.addEventListener("visibilitychange", resume, { once: true }); });
}
