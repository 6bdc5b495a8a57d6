// Addresses of the service, which may lie under a path of its host.

/**
 * The address of a path that begins at the root of the service, as "/records".
 * @param {string} path
 */
export const at = (path) => `${document.documentElement.dataset.path ?? ""}${path}`;
