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
