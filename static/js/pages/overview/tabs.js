// The two tabs below the figures. The address holds the second one; its parts are filled when it is opened.

import { find, findAll, targetOf } from "../../shared/page_elements.js";

/** @type {Record<string, number>} */
const STEPS = { ArrowLeft: -1, ArrowRight: 1 };

export class Tabs {
  #tabs;
  #open = "";

  /**
   * The tabs of the page; `onChoice(tab)` gets the value for the address, empty for the first one.
   * @param {HTMLElement} list
   * @param {(tab: string) => void} onChoice
   */
  constructor(list, onChoice) {
    this.#tabs = findAll(list, "[role=tab]");
    list.addEventListener("click", (event) => {
      const tab = targetOf(event).closest("button")?.dataset.tab;
      if (tab !== undefined) onChoice(tab);
    });
    list.addEventListener("keydown", (event) => {
      const tab = this.#tabFor(event.key);
      if (!tab) return;
      event.preventDefault();
      tab.focus();
      onChoice(tab.dataset.tab ?? "");
    });
    // A link to a part of the other tab opens that first.
    document.addEventListener("click", (event) => {
      const link = targetOf(event).closest('a[href^="#"]')?.getAttribute("href");
      const panel = link && document.getElementById(link.slice(1))?.closest("[role=tabpanel]");
      const tab = panel && this.#tabs.find((one) => one.getAttribute("aria-controls") === panel.id);
      if (tab) onChoice(tab.dataset.tab ?? "");
    });
    this.show();
  }

  /** Opens the tab of the address. */
  show() {
    const asked = new URLSearchParams(location.search).get("tab");
    const open = this.#tabs.find(({ dataset }) => dataset.tab === asked) ?? this.#tabs[0];
    this.#open = open.dataset.tab ?? "";
    for (const tab of this.#tabs) {
      tab.setAttribute("aria-selected", String(tab === open));
      tab.tabIndex = tab === open ? 0 : -1;
      panelOf(tab).hidden = tab !== open;
    }
  }

  /**
   * Whether a part of the page is on the other tab.
   * @param {HTMLElement} part
   */
  isClosed(part) {
    const panel = part.closest("[role=tabpanel]");
    return panel instanceof HTMLElement && panel.hidden;
  }

  /** @param {string} key */
  #tabFor(key) {
    const place = this.#tabs.findIndex(({ dataset }) => dataset.tab === this.#open);
    if (STEPS[key]) return this.#tabs.at((place + STEPS[key]) % this.#tabs.length);
    if (key === "Home") return this.#tabs[0];
    return key === "End" ? this.#tabs.at(-1) : undefined;
  }
}

/** @param {HTMLElement} tab */
const panelOf = (tab) => find(document, `#${tab.getAttribute("aria-controls")}`);
