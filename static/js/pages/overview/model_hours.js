// The picker of the model whose hours the heat map shows. The address holds it as `hours_of`.

import { namesOf } from "../../shared/filter_names.js";
import { ask } from "../../shared/page_reads.js";

/** The model in the address; it may not be among those that are offered. */
export const askedModel = () => new URLSearchParams(location.search).get("hours_of") ?? "";

export class ModelHours {
  #select;
  #isOffered = false;

  /**
   * @param {HTMLSelectElement} select
   * @param {(model: string) => void} onChoice
   */
  constructor(select, onChoice) {
    this.#select = select;
    select.addEventListener("change", () => onChoice(select.value));
  }

  /** The chosen model; empty for all. */
  get model() {
    return this.#isOffered ? this.#select.value : "";
  }

  /**
   * Offers the models of the period, if the filters do not name one, and shows the choice of the address.
   * @param {DimItem[]} models
   * @param {string} filtered
   */
  offer(models, filtered) {
    const [all] = this.#select.options;
    const names = models.map(({ name }) => name).filter(Boolean);
    this.#isOffered = !filtered && names.length > 1;
    this.#select.hidden = !this.#isOffered;
    this.#select.replaceChildren(all, ...names.map((name) => new Option(name, name)));
    this.#select.value = names.includes(askedModel()) ? askedModel() : "";
  }

  /**
   * The daily series of the chosen model.
   * @param {Span} span
   * @param {State} state
   * @param {AbortSignal} signal
   * @returns {Promise<Daily>}
   */
  read(span, state, signal) {
    return ask("hours", { span, named: namesOf({ ...state, model: this.model }), signal });
  }
}
