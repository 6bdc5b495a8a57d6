// The words of the description, in which code stands between backticks.

/**
 * The nodes of a text. Its links lead within another document, so only their words are shown.
 * @param {string} text
 */
export function marked(text) {
  const parts = text.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1").split("`");
  return parts.map((part, number) => {
    if (number % 2 === 0) return part;
    const code = document.createElement("code");
    code.textContent = part;
    return code;
  });
}
