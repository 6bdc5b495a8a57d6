// The elements of a page, by id or selector. A missing element, or one of another kind, is an error that names it.

/**
 * @template {Element} [E=HTMLElement]
 * @typedef {abstract new () => E} Kind The class of an element, such as HTMLInputElement.
 */

/**
 * The element with an id.
 * @template {Element} [E=HTMLElement]
 * @param {string} id
 * @param {Kind<E>} [kind]
 * @param {Document} [page]
 */
export const byId = (id, kind, page = document) => checked(page.getElementById(id), `#${id}`, kind);

/**
 * The first element that matches a selector.
 * @template {Element} [E=HTMLElement]
 * @param {ParentNode} root
 * @param {string} selector
 * @param {Kind<E>} [kind]
 */
export const find = (root, selector, kind) => checked(root.querySelector(selector), selector, kind);

/**
 * All elements that match a selector.
 * @template {Element} [E=HTMLElement]
 * @param {ParentNode} root
 * @param {string} selector
 * @param {Kind<E>} [kind]
 */
export const findAll = (root, selector, kind) => [...root.querySelectorAll(selector)].map((one) => checked(one, selector, kind));

/**
 * The field of a form with a name.
 * @template {Element} [E=HTMLInputElement]
 * @param {HTMLFormElement} form
 * @param {string} name
 * @param {Kind<E>} kind
 * @returns {E}
 */
export function fieldOf(form, name, kind = /** @type {any} */ (HTMLInputElement)) {
  return checked(form.elements.namedItem(name), name, kind);
}

/**
 * A copy of the single element of a template.
 * @param {HTMLTemplateElement} template
 * @returns {HTMLElement}
 */
export const copyOf = (template) => checked(document.importNode(template.content, true).firstElementChild, `element in #${template.id}`);

/**
 * The element of the page that an event came from.
 * @param {Event} event
 */
export const targetOf = ({ target }) => /** @type {Element} */ (target);

/** Whether the window is as narrow as a phone: as `max-width: 46rem` in the style sheets. */
export const isPhone = () => matchMedia("(max-width: 46rem)").matches;

/** The element that has the focus. */
export const focused = () => /** @type {HTMLElement | null} */ (document.activeElement);

/**
 * @template {Element} E
 * @param {unknown} found
 * @param {string} name
 * @param {Kind<E>} [kind]
 * @returns {E}
 */
function checked(found, name, kind) {
  if (!(found instanceof (kind ?? HTMLElement))) throw new Error(`not in the page, or of another kind: ${name}`);
  return /** @type {E} */ (found);
}
