// Where the credential of the shown archive is set: that of the first one in the settings, that of a further one on the page Archives.

import { at } from "./addresses.js";
import { gettext } from "./i18n.js";
import { ownArchive } from "./own_archive.js";

/** @typedef {{href: string, link: string}} Place An address and the words of a link to it. */

/**
 * @param {string} link The words of a link to the settings.
 * @param {string} [part]
 * @returns {Place}
 */
export function credentialPlace(link = gettext("Open settings"), part = "") {
  if (!ownArchive()) return { href: at(`/config${part}`), link };
  return { href: at("/archives"), link: gettext("Open archives") };
}
