// Small lines without axes.

import { element } from "./svg.js";

const [WIDTH, HEIGHT, MARGIN] = [100, 30, 1];

/**
 * Draws a small line over the whole width of a place. If the last value is not over yet, the line ends before it, and the
 * value is a dot. Where nothing is known the line has a gap, with a grey ground.
 * @param {HTMLElement} place
 * @param {number[]} values
 * @param {boolean} isOpen
 * @param {boolean[]} [unknown]
 */
export function drawSpark(place, values, isOpen, unknown = []) {
  const top = Math.max(...values);
  if (values.length < 2 || !(top > 0)) return place.replaceChildren();
  const step = WIDTH / (values.length - 1);
  const points = values.map((value, index) => `${(index * step).toFixed(2)},${(HEIGHT - MARGIN - (value / top) * (HEIGHT - 2 * MARGIN)).toFixed(2)}`);
  const last = points.length - 1;
  const picture = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none" });
  for (const [first, end] of stretches(unknown.slice(0, values.length))) {
    const [left, right] = [Math.max(0, (first - 0.5) * step), Math.min(WIDTH, (end + 0.5) * step)];
    picture.append(element("path", { class: "spark-unknown", d: `M${left.toFixed(2)},0H${right.toFixed(2)}V${HEIGHT}H${left.toFixed(2)}Z` }));
  }
  for (const [first, end] of stretches(points.map((_, index) => !unknown[index] && !(isOpen && index === last)))) {
    picture.append(first === end ? dotAt(points[first]) : element("polyline", { points: points.slice(first, end + 1).join(" ") }));
  }
  if (isOpen) picture.append(dotAt(points[last], "spark-dot"));
  return place.replaceChildren(picture);
}

/**
 * A line of no length with round ends stays a circle, however the picture is stretched.
 * @param {string} point
 */
const dotAt = (point, kind = "spark-point") => element("path", { class: kind, d: `M${point}h0.01` });

/**
 * The first and last places of consecutive ones that hold.
 * @param {boolean[]} holds
 * @returns {[number, number][]}
 */
export function stretches(holds) {
  /** @type {[number, number][]} */
  const found = [];
  for (const [place, isOne] of holds.entries()) {
    if (!isOne) continue;
    const last = found.at(-1);
    if (last?.[1] === place - 1) last[1] = place;
    else found.push([place, place]);
  }
  return found;
}
