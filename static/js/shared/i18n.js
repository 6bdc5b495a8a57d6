// The texts in the language of the reader, from Django's catalogue, which the page loads before this module.

const catalog = window.django;

/**
 * The text in the language of the reader; in English if there is no translation. It calls the service and the unit of the
 * shown archive by their names.
 * @param {string} text
 * @returns {string}
 */
export const gettext = (text) => ofArchive(catalog?.gettext(text) ?? text);

/**
 * The singular or plural text for a number, in the language of the reader.
 * @param {string} one
 * @param {string} many
 * @param {number} count
 */
export const ngettext = (one, many, count) => ofArchive(catalog?.ngettext(one, many, count) ?? (count === 1 ? one : many));

/**
 * A text with its `%(name)s` filled in.
 * @param {string} text
 * @param {Record<string, string | number>} values
 */
export const fill = (text, values) => text.replace(/%\((\w+)\)s/g, (_, name) => String(values[name]));

/** What the shown archive calls its service and its unit, where these are not those of first archives. */
const { service, unit, hasKey } = document.documentElement.dataset;

/**
 * The words about a cookie; about a credential where the shown archive has no cookie.
 * @param {string} cookie
 * @param {string} credential
 */
export const ofCredential = (cookie, credential) => (hasKey === undefined ? cookie : credential);

/**
 * @param {string} text
 * @returns {string}
 */
function ofArchive(text) {
  if (!/%\((service|[Uu]nit)\)s/.test(text)) return text;
  const words = { service: service ?? gettext("CodeBuddy"), unit: unit ?? gettext("credits"), Unit: unit ?? gettext("Credits") };
  return text.replace(/%\((service|unit|Unit)\)s/g, (_, name) => words[/** @type {keyof typeof words} */ (name)]);
}

/** The language of the page, for numbers and dates. */
export const language = document.documentElement.lang || "en";

export const isChinese = language.startsWith("zh");

/** What stands between two sentences. */
export const gap = isChinese ? "" : " ";

/**
 * Sentences one after the other, without the empty ones.
 * @param {string[]} texts
 */
export const sentences = (texts) => texts.filter(Boolean).join(gap);

/**
 * Words as a list within a sentence.
 * @param {string[]} words
 */
export const listed = (words) => words.join(isChinese ? "、" : ", ");
