// Shared by the charts: the tip beside the pointer, and the colours of the page.

import { gettext } from "../shared/i18n.js";
import { find } from "../shared/page_elements.js";

/**
 * Shows the tip beside a place in the box of a chart: a title, then rows of colour, name and value.
 * @param {HTMLElement} box
 * @param {{x: number, y?: number}} place
 * @param {string} title
 * @param {TipRow[]} rows
 */
export function showTip(box, { x, y = 0 }, title, rows) {
  const tip = tipOf(box);
  const head = document.createElement("strong");
  head.textContent = title;
  tip.replaceChildren(head, ...rows.map(tipRow));
  tip.hidden = false;
  const right = x > box.clientWidth / 2;
  tip.style.left = right ? "auto" : `${x + 16}px`;
  tip.style.right = right ? `${box.clientWidth - x + 16}px` : "auto";
  tip.style.top = `${y}px`;
}

/** A finger cannot hover: the first tap shows the tip, the second one follows it. This row says so. */
export const againRow = () => ({ name: gettext("Tap again to show only this."), value: "" });

/**
 * Calls `act` when something outside a box is tapped or clicked.
 * @param {HTMLElement} box
 * @param {() => void} act
 */
export function onElsewhere(box, act) {
  document.addEventListener("pointerdown", ({ target }) => { if (!box.contains(/** @type {Node} */ (target))) act(); });
}

/** @param {HTMLElement} box */
export function hideTip(box) {
  tipOf(box).hidden = true;
}

/** @param {HTMLElement} box */
const tipOf = (box) => find(box.parentElement ?? box, ".tip");

/** @param {TipRow} row */
function tipRow({ colour, name, value, isSum = false }) {
  const [row, dot, label, figure] = ["div", "span", "span", "span"].map((tag) => document.createElement(tag));
  dot.className = "dot";
  if (colour) dot.style.backgroundColor = colour;
  label.textContent = name;
  figure.textContent = value;
  figure.className = "number";
  row.classList.toggle("tip-sum", isSum);
  row.append(dot, label, figure);
  return row;
}
