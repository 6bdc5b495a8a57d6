// The keys of the records: silent where something is typed, and while another dialog asks.

const TYPED_INTO = "input, select, textarea, [contenteditable]";
const list = document.getElementById("keys");

for (const button of document.querySelectorAll("[data-keys]")) button.addEventListener("click", showKeys);

export function showKeys() {
  list.showModal();
}

/** Runs what is bound to a key, by its name. */
export function bindKeys(actions) {
  document.addEventListener("keydown", (event) => {
    const act = actions[event.key];
    if (!act || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest(TYPED_INTO) || document.querySelector("dialog:modal:not(#record)")) return;
    event.preventDefault();
    act();
  });
}
