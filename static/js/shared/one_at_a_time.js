// Actions that run one at a time. Their buttons are not disabled, because they would lose the focus.

/** @type {WeakMap<HTMLElement, symbol>} The last action of each button. */
const last = new WeakMap();

/**
 * Runs an action, unless its button is busy with one.
 * @param {HTMLElement} button
 * @param {() => Promise<void>} work
 */
export async function alone(button, work) {
  if (button.ariaBusy === "true") return;
  const own = Symbol("action");
  last.set(button, own);
  button.ariaBusy = "true";
  try {
    await work();
  } finally {
    // Another one may have begun for something else.
    if (last.get(button) === own) button.ariaBusy = "false";
  }
}
