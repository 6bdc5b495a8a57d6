// The audit log, newest first, filtered and paged. The address holds the filters and the page, so every view can be linked.

import { get } from "../shared/api.js";
import { onReturn } from "../shared/connection.js";
import { whole } from "../shared/formats.js";
import { fill, gettext } from "../shared/i18n.js";
import { byId, copyOf, fieldOf, find, targetOf } from "../shared/page_elements.js";
import { tableMenuIn } from "../shared/table_menu.js";

const NAMES = ["action", "actor", "q", "page", "size"];
/** @type {{actions: Record<string, string>, actors: Record<string, string>}} */
const { actions: WORDS, actors: ACTORS } = JSON.parse(byId("audit-words").textContent ?? "");
const FAILED = new Set(["login_failed", "reauthenticate_failed", "password_failed", "collect_failed", "verify_failed", "import_failed", "settings_rejected"]);
const part = byId("audit");
const form = find(part, "form", HTMLFormElement);
const actions = fieldOf(form, "action", HTMLSelectElement);
const text = fieldOf(form, "q");
// Only administrators have this field: others see only their own entries.
const actor = form.elements.namedItem("actor") instanceof HTMLInputElement ? fieldOf(form, "actor") : null;
const table = find(part, "table", HTMLTableElement);
const pager = find(part, ".pager");
const failed = find(part, "[data-failed]");
let reading = new AbortController();

form.addEventListener("submit", (event) => { event.preventDefault(); filter(); });
actions.addEventListener("change", filter);
part.addEventListener("click", (event) => {
  const link = targetOf(event).closest("a[data-go][href]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(/** @type {HTMLAnchorElement} */ (link).href);
});
find(part, "[data-again]").addEventListener("click", load);
tableMenuIn(part);
window.addEventListener("popstate", load);
onReturn(load);
load();

/** The parameters of the address that are not empty. */
function asked() {
  const given = new URLSearchParams(location.search);
  return Object.fromEntries(NAMES.map((name) => [name, given.get(name) ?? ""]).filter(([, value]) => value));
}

/** @param {Params} params */
function addressOf(params) {
  const query = new URLSearchParams(params).toString();
  return query ? `${location.pathname}?${query}` : location.pathname;
}

function filter() {
  const { size } = asked();
  const typed = { action: actions.value, actor: actorOf(actor?.value.trim() ?? ""), q: text.value, size: size ?? "" };
  go(addressOf(Object.fromEntries(Object.entries(typed).filter(([, value]) => value))));
}

/** @param {string} address */
function go(address) {
  history.pushState(null, "", address);
  load();
  if (part.getBoundingClientRect().top < 0) part.scrollIntoView();
}

async function load() {
  reading.abort();
  reading = new AbortController();
  const params = asked();
  // At once: by the time of the answer somebody may have typed something else.
  showTyped(params);
  part.setAttribute("aria-busy", "true");
  try {
    const answer = await get("/api/audit", params, reading.signal);
    if (!answer.items.length && answer.total) {
      // Past the end: entries may have been deleted since the link was created.
      history.replaceState(null, "", addressOf({ ...params, page: answer.pages }));
      load();
      return;
    }
    show(answer, params);
    failed.hidden = true;
  } catch (error) {
    if (error.name === "AbortError") return;
    find(part, "[data-failed-text]").textContent = error.message;
    failed.hidden = false;
  }
  part.setAttribute("aria-busy", "false");
}

/**
 * @param {AuditPage} answer
 * @param {Params} params
 */
function show(answer, params) {
  const filtered = Boolean(params.action || params.actor || params.q);
  showFilters(answer.actions, params, filtered);
  table.tBodies[0].replaceChildren(...answer.items.map(rowOf));
  table.hidden = answer.items.length === 0;
  const empty = find(part, "[data-empty]");
  empty.hidden = answer.items.length > 0;
  empty.textContent = filtered
    ? gettext("No entries match these filters.")
    : gettext("No entries yet. Each sign-in, change and collection will be listed here.");
  showPager(answer, params);
}

/** @param {Params} params */
function showTyped({ actor: name = "", q = "" }) {
  if (actor) actor.value = ACTORS[name] ?? name;
  text.value = q;
}

/**
 * @param {string[]} known
 * @param {Params} params
 * @param {boolean} filtered
 */
function showFilters(known, { action = "" }, filtered) {
  const names = action && !known.includes(action) ? [...known, action] : known;
  actions.replaceChildren(new Option(gettext("All actions"), ""), ...names.map((one) => new Option(wordsOf(one), one)));
  actions.value = action;
  find(part, "[data-all]", HTMLAnchorElement).hidden = !filtered;
}

/** @param {Entry} entry */
function rowOf(entry) {
  const row = copyOf(byId("entry-row", HTMLTemplateElement));
  const [who, what] = [find(row, "[data-actor]", HTMLAnchorElement), find(row, "[data-action]", HTMLAnchorElement)];
  find(row, "th").textContent = entry.at;
  who.textContent = actorWords(entry) || "–";
  if (actor && entry.actor) who.href = addressOf({ actor: entry.actor });
  what.textContent = wordsOf(entry.action);
  what.href = addressOf({ action: entry.action });
  if (FAILED.has(entry.action)) what.dataset.failed = "";
  for (const name of /** @type {const} */ (["detail", "ip"])) {
    const cell = find(row, `[data-${name}]`);
    cell.textContent = entry[name] || "–";
    cell.toggleAttribute("data-none", !entry[name]);
  }
  return row;
}

/**
 * @param {AuditPage} answer
 * @param {Params} params
 */
function showPager({ total, page, size, pages, items }, params) {
  pager.hidden = total === 0;
  const first = (page - 1) * size + 1;
  find(pager, "[data-shown]").textContent = fill(gettext("%(first)s to %(last)s of %(total)s"), {
    first: whole(first), last: whole(first + items.length - 1), total: whole(total),
  });
  const targets = { newest: page > 1 && 1, newer: page > 1 && page - 1, older: page < pages && page + 1, oldest: page < pages && pages };
  for (const [name, target] of Object.entries(targets)) {
    const link = find(pager, `[data-to="${name}"]`, HTMLAnchorElement);
    link.hidden = pages === 1;
    if (target) link.href = addressOf({ ...params, page: String(target) });
    else link.removeAttribute("href");
  }
}

/**
 * As `actor_in_words` in audit/words.py.
 * @param {Pick<Entry, "actor" | "ip">} entry
 */
const actorWords = ({ actor: name, ip }) => (ip ? name : ACTORS[name] ?? name);

/**
 * The actor that was typed, also in the words of this page.
 * @param {string} typed
 */
const actorOf = (typed) => Object.keys(ACTORS).find((name) => ACTORS[name] === typed) ?? typed;

/** @param {string} action */
const wordsOf = (action) => WORDS[action] ?? action;
