// The colours and the font of the page, for what is drawn on a canvas or by a style of its own.

/** @type {Map<string, string>} */
const known = new Map();
let font = "";

document.addEventListener("archive:theme", () => known.clear());

/**
 * A colour of the page in the current theme: `colourNamed("line")` is its `--line`. Read once for each theme, since a
 * computed style makes the browser work out those of the whole page.
 * @param {string} name
 */
export function colourNamed(name) {
  const colour = known.get(name) ?? getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  known.set(name, colour);
  return colour;
}

/** The page's font. */
export function fontFamily() {
  font ||= getComputedStyle(document.body).fontFamily;
  return font;
}
