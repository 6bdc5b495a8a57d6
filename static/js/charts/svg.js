// SVG elements for the charts that are not bars.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 */
export function element(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  return node;
}

/** @param {HeatLabel} label */
export function labelOf({ text, anchor = "start", ...place }) {
  const node = element("text", { ...place, "text-anchor": anchor });
  node.textContent = text;
  return node;
}
