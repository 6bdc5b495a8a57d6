// The size of a chart's box, which is not measured while the page changes: that lays out the whole page.

export class BoxSize {
  #box;
  #width = 0;
  #height = 0;

  /**
   * @param {HTMLElement} box
   * @param {() => void} onOther Called when the box has another size than before; not while it is hidden.
   */
  constructor(box, onOther) {
    this.#box = box;
    new ResizeObserver(() => { if (this.#measure()) onOther(); }).observe(box);
  }

  /** The width in CSS pixels: that of the last layout; 0 if the box was never shown. */
  get width() {
    if (!this.#width) this.#measure();
    return this.#width;
  }

  /** The height in CSS pixels, as `width`. */
  get height() {
    if (!this.#width) this.#measure();
    return this.#height;
  }

  /** Takes the present size; returns whether it is another one. */
  #measure() {
    const { clientWidth: width, clientHeight: height } = this.#box;
    if (!width || (width === this.#width && height === this.#height)) return false;
    this.#width = width;
    this.#height = height;
    return true;
  }
}
