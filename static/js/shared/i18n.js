// What pages say, in the reader's language: Django's catalogue of this language, loaded by the page before.

const catalog = window.django;

/**
 * The text in the reader's language; the English one where there is no other.
 * @param {string} text
 */
export const gettext = (text) => catalog?.gettext(text) ?? text;

/**
 * The text for a number of things.
 * @param {string} one
 * @param {string} many
 * @param {number} count
 */
export const ngettext = (one, many, count) => catalog?.ngettext(one, many, count) ?? (count === 1 ? one : many);

/**
 * A text with its `%(name)s` filled in.
 * @param {string} text
 * @param {Record<string, string | number>} values
 */
export const fill = (text, values) => text.replace(/%\((\w+)\)s/g, (_, name) => String(values[name]));

/** The language of the page, for numbers and dates. */
export const language = document.documentElement.lang || "en";
