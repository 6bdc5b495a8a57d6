// Small lines without axes.

import { element } from "./svg.js";

const [WIDTH, HEIGHT, MARGIN] = [100, 30, 1];

/**
 * Draws a small line over the whole width of a place. If the last value is not over yet, the line ends before it, and the
 * value is a dot.
 * @param {HTMLElement} place
 * @param {number[]} values
 * @param {boolean} isOpen
 */
export function drawSpark(place, values, isOpen) {
  const top = Math.max(...values);
  if (values.length < 2 || !(top > 0)) return place.replaceChildren();
  const picture = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none" });
  const points = values.map((value, index) => (
    `${((index / (values.length - 1)) * WIDTH).toFixed(2)},${(HEIGHT - MARGIN - (value / top) * (HEIGHT - 2 * MARGIN)).toFixed(2)}`
  ));
  const last = points.at(-1) ?? "";
  picture.append(element("polyline", { points: (isOpen ? points.slice(0, -1) : points).join(" ") }));
  // A line of no length with round ends stays a circle, however the picture is stretched.
  if (isOpen) picture.append(element("path", { class: "spark-dot", d: `M${last}h0.01` }));
  return place.replaceChildren(picture);
}
