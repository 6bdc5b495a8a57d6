// Sets the theme before the page is drawn: the one chosen in the profile, else in this browser, else that of the system.

(() => {
  const root = document.documentElement;
  // As in browser_choice.js; this script imports nothing.
  const name = `archive${(root.dataset.path ?? "").replaceAll("/", "_")}_theme=`;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const show = (/** @type {string} */ theme) => {
    root.dataset.bsTheme = theme;
    document.dispatchEvent(new CustomEvent("archive:theme"));
  };
  const apply = () => {
    const own = document.cookie.split("; ").find((cookie) => cookie.startsWith(name))?.slice(name.length);
    const chosen = root.dataset.theme === "auto" ? own : root.dataset.theme;
    show(chosen === "light" || chosen === "dark" ? chosen : system.matches ? "dark" : "light");
  };
  system.addEventListener("change", apply);
  // Print in the light theme: paper is white.
  addEventListener("beforeprint", () => show("light"));
  addEventListener("afterprint", apply);
  // The profile and the pages before the sign-in change the choice without a reload.
  new MutationObserver(apply).observe(root, { attributeFilter: ["data-theme"] });
  apply();
})();
