// The parts that hatch unknown days. The ledger says which these are; it has a read of its own, which may be the last.

/** @typedef {import("../../charts/ledger_days.js").Ledger} Ledger */

export class HatchedParts {
  /** @type {Ledger | undefined} */
  ledger;
  /** @type {Map<string, {show: () => unknown, ledger: Ledger | undefined}>} */
  #shown = new Map();

  /**
   * Shows a part with the ledger that there is.
   * @param {string} name
   * @param {() => unknown} show
   */
  show(name, show) {
    this.#shown.set(name, { show, ledger: this.ledger });
    return show();
  }

  /** Shows the parts again that were shown with another ledger. */
  showAgain() {
    for (const [name, { show, ledger }] of [...this.#shown]) if (ledger !== this.ledger) this.show(name, show);
  }

  /**
   * Forgets what was shown.
   * @param {boolean} isOther Whether the ledger of these days is no longer of use.
   */
  begin(isOther) {
    this.#shown.clear();
    if (isOther) this.ledger = undefined;
  }
}
