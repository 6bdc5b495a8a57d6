// The archive that the page shows. The first one of the account has no name: addresses that name none are about it.

// What is about one archive; other endpoints are about the account or the instance.
const ABOUT_ONE = /^\/(?:api\/(?:bills|budgets|bundle|changes|collect|coverage|daily|dims|forecast|import|maintenance|manifest|orders|packages|records|repeated|runs|status|summary|top|verify)|exports|records\/export|runs\/\d+\/report)(?:[/?]|$)/;

/** The id of the shown archive; empty for the first one. */
export const ownArchive = () => document.documentElement.dataset.archive ?? "";

/** Whether the shown archive comes in files: no service is asked, and none lists its calls. */
export const isOfFiles = () => document.documentElement.dataset.ofFiles !== undefined;

/** The id of the shown archive, also of the first one, which has that of the account. */
export const idOfShown = () => ownArchive() || (document.documentElement.dataset.account ?? "");

/**
 * An address with the name of the shown archive, where it needs one and names none.
 * @param {string} address From the root of the service.
 */
export function named(address) {
  const isToName = ownArchive() && ABOUT_ONE.test(address) && !/[?&]archive=/.test(address);
  return isToName ? withArchive(address, ownArchive()) : address;
}

/**
 * @param {string} address
 * @param {string} id
 */
export const withArchive = (address, id) => `${address}${address.includes("?") ? "&" : "?"}archive=${id}`;

/**
 * Whether another reading of this page shows the same archive.
 * @param {Document} page
 */
export const isOfSameArchive = (page) => (page.documentElement.dataset.archive ?? "") === ownArchive();

/** The address of this page that names its archive. */
export function addressOfOwnArchive() {
  const address = new URL(location.href);
  address.searchParams.set("archive", idOfShown());
  return address.href;
}
