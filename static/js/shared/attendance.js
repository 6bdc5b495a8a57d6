// Whether somebody uses the page. The reads that an unused page repeats do not keep its session alive.

// Milliseconds after the last input during which a request counts as somebody's.
const RECENT = 60_000;
let usedAt = performance.now();

for (const name of ["pointerdown", "pointermove", "keydown", "wheel", "touchstart"]) {
  document.addEventListener(name, () => { usedAt = performance.now(); }, { capture: true, passive: true });
}

/**
 * The header of a read that nobody caused.
 * @returns {Record<string, string>}
 */
export const attendance = () => (performance.now() - usedAt < RECENT ? {} : { "Archive-Unattended": "1" });
