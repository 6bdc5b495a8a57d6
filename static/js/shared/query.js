// Parameters of an address, some of them with several values.

/**
 * Parameters as the part of an address after "?"; a list gives its parameter once for each value.
 * @param {ManyParams} params
 */
export function queryFrom(params) {
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(params)) for (const value of [values].flat()) query.append(name, value);
  return query;
}

/**
 * Gives the address of this page other parameters, in the same entry of the history.
 * @param {URLSearchParams} query
 */
export function replaceQuery(query) {
  if (String(query) === String(new URLSearchParams(location.search))) return;
  history.replaceState(history.state, "", String(query) ? `${location.pathname}?${query}` : location.pathname);
}
