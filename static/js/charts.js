// Charts: drawn with the page's own colours, again when theme or width change, and a tip beside what is pointed at.

import { language } from "archive/words";

const AXIS = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 });
let library;

/** Begins to load the library, which is the largest file of all; once is enough. */
export function loadLibrary() {
  library ??= import("archive/echarts").catch((error) => { library = undefined; throw error; });
  return library;
}

/**
 * A chart in `box`. `optionOf(colour, width)` gives what ECharts draws, where `colour("line")` is the page's `--line`.
 * The answer is told once the chart can be asked for places; `draw` draws it anew.
 */
export async function makeChart(box, optionOf) {
  const { init } = await loadLibrary();
  const chart = init(box);
  let width = box.clientWidth;
  const draw = () => {
    // Asked once: each further computed style may lay the page out again.
    const style = getComputedStyle(document.body);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    const textStyle = { fontFamily: style.fontFamily, fontSize: 12 };
    chart.setOption({ animation: false, textStyle, ...optionOf(colour, width) }, { notMerge: true });
    chart.getZr().flush();
  };
  new ResizeObserver(() => {
    if (!box.clientWidth || box.clientWidth === width) return;
    width = box.clientWidth;
    chart.resize();
    draw();
  }).observe(box);
  document.addEventListener("archive:theme", draw);
  return { chart, draw };
}

/** An axis of values, which are written short. */
export const valueAxis = (colour) => ({
  type: "value",
  splitNumber: 4,
  axisLabel: { color: colour("soft"), formatter: (value) => AXIS.format(value) },
  splitLine: { lineStyle: { color: colour("line") } },
});

/** An axis of names, of which as many are written as there is room for. */
export const nameAxis = (colour, names) => ({
  type: "category",
  data: names,
  axisLabel: { color: colour("soft"), hideOverlap: true },
  axisLine: { lineStyle: { color: colour("field-line") } },
  axisTick: { show: false },
});

/** Shows beside a place in a chart's box what is pointed at: a title, then rows of colour, name and value. */
export function showTip(box, { x, y = 0 }, title, rows) {
  const tip = box.parentElement.querySelector(".tip");
  const head = document.createElement("strong");
  head.textContent = title;
  tip.replaceChildren(head, ...rows.map(tipRow));
  tip.hidden = false;
  const right = x > box.clientWidth / 2;
  tip.style.left = right ? "auto" : `${x + 16}px`;
  tip.style.right = right ? `${box.clientWidth - x + 16}px` : "auto";
  tip.style.top = `${y}px`;
}

export function hideTip(box) {
  box.parentElement.querySelector(".tip").hidden = true;
}

function tipRow({ colour, name, value }) {
  const [row, dot, label, figure] = ["div", "span", "span", "span"].map((tag) => document.createElement(tag));
  dot.className = "dot";
  if (colour) dot.style.backgroundColor = colour;
  label.textContent = name;
  figure.textContent = value;
  figure.className = "number";
  row.append(dot, label, figure);
  return row;
}

/** One of the page's colours in the present theme: `colourNamed("line")` is its `--line`. */
export const colourNamed = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

const SVG = "http://www.w3.org/2000/svg";

/** A small line without axes, drawn into its own width. */
export function drawSpark(place, values) {
  const top = Math.max(...values);
  if (values.length < 2 || !(top > 0)) return place.replaceChildren();
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("viewBox", "0 0 100 30");
  picture.setAttribute("preserveAspectRatio", "none");
  const line = document.createElementNS(SVG, "polyline");
  const points = values.map((value, place) => `${(place / (values.length - 1)) * 100},${29 - (value / top) * 28}`);
  line.setAttribute("points", points.join(" "));
  picture.append(line);
  return place.replaceChildren(picture);
}
