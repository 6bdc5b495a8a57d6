// What both heat maps have: cells by value, a scale, a tip, and a table.

import { hideTip, makeChart, showTip } from "archive/charts";
import { credits } from "archive/formats";
import { tableIn } from "archive/tables";

const STEPS = ["heat-0", "heat-1", "heat-2", "heat-3", "heat-4", "heat-5"];
// Above this share of the values all have the strongest colour: one busy hour would leave the others pale.
const STRONGEST = 0.95;

export class HeatMap {
  #part;
  #box;
  #map;
  #table;
  #making;
  #most = 1;

  /**
   * In a part of the page. `map` tells what is shown: `cells()` as `[x, y…, value]`, `optionOf(colour, width, series)`, `tipOf(cell)`
   * as title and rows, `figures()` for the table, and `pick(cell)` where a click leads somewhere.
   */
  constructor(part, map) {
    this.#part = part;
    this.#box = part.querySelector("[data-chart]");
    this.#map = map;
    this.#table = tableIn(part.querySelector("details"), () => map.figures());
  }

  /** Draws what the map tells now; the promise fails where the library cannot be had. */
  async show(label) {
    this.#most = strongest(this.#map.cells().map((cell) => cell.at(-1)));
    this.#box.setAttribute("aria-label", label);
    this.#part.querySelector("[data-most]").textContent = `≥ ${credits(this.#most)}`;
    this.#table.update();
    hideTip(this.#box);
    this.#making ??= this.#make();
    try {
      (await this.#making).draw();
    } catch (error) {
      this.#making = undefined;
      throw error;
    }
  }

  async #make() {
    const made = await makeChart(this.#box, (colour, width) => this.#option(colour, width));
    made.chart.on("mousemove", ({ data, event }) => {
      if (data) showTip(this.#box, { x: event.offsetX, y: event.offsetY }, ...this.#map.tipOf(data));
    });
    for (const name of ["mouseout", "globalout"]) made.chart.on(name, () => hideTip(this.#box));
    if (this.#map.pick) made.chart.on("click", ({ data }) => { if (data) this.#map.pick(data); });
    return made;
  }

  #option(colour, width) {
    const series = {
      type: "heatmap", data: this.#map.cells(), cursor: this.#map.pick ? "pointer" : "default",
      itemStyle: { borderColor: colour("card"), borderWidth: 2, borderRadius: 3 },
      emphasis: { disabled: true },
    };
    return {
      visualMap: { show: false, min: 0, max: this.#most, inRange: { color: STEPS.map(colour) } },
      ...this.#map.optionOf(colour, width, series),
    };
  }
}

/** The value from which on cells are as strong as they get. */
function strongest(values) {
  const sorted = values.filter((value) => value > 0).sort((one, other) => one - other);
  return sorted[Math.floor(STRONGEST * (sorted.length - 1))] ?? 1;
}
