// Which theme the page has, set before anything is drawn: the one chosen in the profile, else the system's.

(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const chosen = root.dataset.theme;
    root.dataset.bsTheme = chosen === "light" || chosen === "dark" ? chosen : system.matches ? "dark" : "light";
    document.dispatchEvent(new CustomEvent("archive:theme"));
  };
  system.addEventListener("change", apply);
  // The profile page changes the choice without a reload.
  new MutationObserver(apply).observe(root, { attributeFilter: ["data-theme"] });
  apply();
})();
