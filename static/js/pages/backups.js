// The backups of the instance: create, download, check, restore (after the file name is typed), delete and prune.

import { at } from "../shared/addresses.js";
import { get, post, reread } from "../shared/api.js";
import { onReturn } from "../shared/connection.js";
import { clear, onSubmit, say, sayDone } from "../shared/form_fields.js";
import { whole, withoutKey } from "../shared/formats.js";
import { fill, gettext, listed, ngettext } from "../shared/i18n.js";
import { byId, copyOf, fieldOf, find, findAll, targetOf } from "../shared/page_elements.js";
import { tableMenuIn } from "../shared/table_menu.js";
import { bindDownloads } from "./backups/downloads.js";
import { takenRows } from "./backups/taken_rows.js";

/** @type {Record<string, string>} */
const TRIGGERS = { manual: gettext("manual"), auto: gettext("automatic"), pre_restore: gettext("before a restore") };
const triggerWords = (/** @type {string} */ trigger) => TRIGGERS[trigger] ?? trigger;
const APART = "pre_restore";
/** @type {Record<string, string>} */
const ACTS = {
  download: gettext("Download the backup of %(at)s"),
  check: gettext("Check the backup of %(at)s"),
  restore: gettext("Restore the backup of %(at)s"),
  delete: gettext("Delete the backup of %(at)s"),
};
const said = byId("said");
const creating = byId("create", HTMLFormElement);
const facts = byId("facts");
const shelf = byId("shelf");
const table = find(shelf, "table", HTMLTableElement);
const failed = find(shelf, "[data-failed]");
const pruneButton = byId("prune-button");
const [restoring, deleting, pruning, restored] = ["restore", "delete", "prune", "restored"].map((id) => byId(id, HTMLDialogElement));
/** @type {Pick<Backups, "items" | "keep" | "node">} The last answer of the API. */
let shelved = { items: [], keep: 0 };
/** @type {Backup | null} The backup of the open dialog. */
let chosen = null;
const checks = new Map(); // by name, the state of each check; it outlives the rows, which are replaced

shelf.addEventListener("click", (event) => {
  const button = targetOf(event).closest("[data-act]");
  if (!button) return;
  const backup = shelved.items.find(({ name }) => name === button.closest("tr")?.dataset.name);
  if (!backup) return;
  if (button.dataset.act === "check") check(backup);
  else if (button.dataset.act === "restore") openRestoring(backup);
  else open(deleting, backup);
});
bindDownloads(shelf, said);
pruneButton.addEventListener("click", () => {
  find(pruning, "[data-surplus]").textContent = surplusWords(surplus());
  open(pruning, null);
});
for (const button of findAll(document, "[data-cancel]")) {
  button.addEventListener("click", () => button.closest("dialog")?.close());
}
// A restore cannot be cancelled: its dialog stays until it has ended, and the closing message stays as well.
restoring.addEventListener("cancel", (event) => { if (formOf(restoring).ariaBusy === "true") event.preventDefault(); });
restored.addEventListener("cancel", (event) => event.preventDefault());
find(shelf, "[data-again]").addEventListener("click", load);
tableMenuIn(shelf, () => takenRows(table, shelved.items, ({ name, trigger }) => ({ trigger: triggerWords(trigger), checked: checks.get(name)?.text ?? "" })));
onReturn(load);

onSubmit(creating, () => busy(creating, gettext("Creating…"), async () => {
  const { message, pruned } = await post("/api/backups", { note: fieldOf(creating, "note").value.trim() });
  creating.reset();
  sayDone(creating, gettext("Done."));
  said.textContent = pruned?.length
    ? fill(gettext("%(message)s Older backups deleted: %(names)s."), { message, names: listed(pruned) })
    : message;
  await refresh();
}));

onSubmit(formOf(restoring), async () => {
  const [confirm, key] = ["confirm", "include_instance"].map((name) => fieldOf(formOf(restoring), name));
  const backup = chosen;
  if (!backup || confirm.value.trim() !== backup.name) {
    say(confirm, gettext("Type the file name shown below."));
    confirm.focus();
    return;
  }
  await busy(formOf(restoring), gettext("Restoring…"), async () => {
    const { message } = await post(`${addressOf(backup)}/restore`, { include_instance: key.checked });
    find(restored, "[data-message]").textContent = message;
    restoring.close();
    restored.showModal();
  });
});

onSubmit(formOf(deleting), async () => {
  if (chosen) await finish(deleting, (await post(`${addressOf(chosen)}/delete`)).message);
});

onSubmit(formOf(pruning), async () => {
  const { message } = await post("/api/backups/prune");
  await finish(pruning, message);
});

load();

async function load() {
  try {
    const [answer, { backup }] = await Promise.all([get("/api/backups"), get("/api/status")]);
    shelved = answer;
    showFacts(answer, backup);
    table.tBodies[0].replaceChildren(...answer.items.map(rowOf));
    table.hidden = answer.items.length === 0;
    find(shelf, "[data-empty]").hidden = answer.items.length > 0;
    pruneButton.hidden = surplus().length === 0;
    failed.hidden = true;
  } catch (error) {
    find(shelf, "[data-failed-text]").textContent = error.message;
    failed.hidden = false;
  }
  shelf.setAttribute("aria-busy", "false");
}

/** Reads the list again, and the free disk space, which is in the HTML of the page. */
async function refresh() {
  const page = await reread().catch(() => null);
  if (page) facts.dataset.free = byId("facts", HTMLElement, page).dataset.free;
  await load();
}

/**
 * @param {Backups} backups
 * @param {Status["backup"]} automatic
 */
function showFacts({ items, total_human: total, dir, enabled, interval_hours: hours, keep }, { last, next }) {
  const automatic = enabled ? gettext("%(every)s; the newest %(kept)s are kept.") : gettext("off; the newest %(kept)s are kept.");
  const room = ngettext("%(total)s in %(count)s file; %(free)s of disk space free.", "%(total)s in %(count)s files; %(free)s of disk space free.", items.length);
  fact("automatic", fill(automatic, { every: everyWords(hours), kept: whole(keep) }));
  fact("last", last ?? gettext("none yet"));
  fact("next", next ?? (enabled ? gettext("not scheduled") : "–"));
  fact("room", fill(room, { total, count: whole(items.length), free: facts.dataset.free ?? "" }));
  fact("dir", dir);
}

/** @param {number} hours */
function everyWords(hours) {
  if (hours === 24) return gettext("every day");
  if (hours % 24) return fill(ngettext("every %(count)s hour", "every %(count)s hours", hours), { count: hours });
  return fill(gettext("every %(count)s days"), { count: hours / 24 });
}

/** @param {Backup} backup */
function rowOf(backup) {
  const row = copyOf(byId("backup-row", HTMLTemplateElement));
  const put = (/** @type {string} */ name, /** @type {string} */ text) => { find(row, `[data-${name}]`).textContent = text; };
  row.dataset.name = backup.name;
  put("at", backup.created_at);
  put("name", backup.name);
  put("sum", backup.sha256 ? `SHA-256 ${backup.sha256.slice(0, 12)}…` : "");
  find(row, "[data-sum]").title = backup.sha256 ?? "";
  put("trigger", triggerWords(backup.trigger));
  put("note", backup.note || "–");
  find(row, "[data-note]").toggleAttribute("data-none", !backup.note);
  put("accounts", whole(backup.accounts));
  put("records", whole(backup.records));
  put("size", backup.size_human);
  find(row, "[data-invalid]").hidden = backup.valid;
  put("node", isElsewhere(backup) ? fill(gettext("on the node %(node)s"), { node: backup.node ?? "" }) : "");
  find(row, "[data-act=restore]").hidden = !backup.valid;
  for (const act of findAll(row, ".actions > *")) act.hidden ||= isElsewhere(backup);
  find(row, "[data-download]", HTMLAnchorElement).href = at(addressOf(backup));
  showCheck(row);
  for (const act of findAll(row, ".actions > *")) act.setAttribute("aria-label", fill(ACTS[act.dataset.act ?? "download"], { at: backup.created_at }));
  return row;
}

/** Whether only another node can read the file. */
const isElsewhere = (/** @type {Backup} */ { node }) => node !== shelved.node;

/**
 * Checks a backup as a restore would, and shows the result beside it.
 * @param {Backup} backup
 */
async function check(backup) {
  if (checks.get(backup.name)?.kind === "wait") return;
  const tell = (/** @type {string} */ kind, /** @type {string} */ text) => {
    checks.set(backup.name, { kind, text });
    const row = [...table.tBodies[0].rows].find(({ dataset }) => dataset.name === backup.name);
    if (row) showCheck(row);
  };
  tell("wait", gettext("Checking the whole file…"));
  try {
    await post(`${addressOf(backup)}/check`);
    tell("done", gettext("Checked: it can be restored."));
  } catch (error) {
    // Another backup is being checked or created: this one is not damaged.
    tell(error.code === "busy" ? "busy" : "failed", withoutKey(error.message, backup.name));
  }
}

/** @param {HTMLElement} row */
function showCheck(row) {
  const { kind = "", text = "" } = checks.get(row.dataset.name) ?? {};
  const said = find(row, "[data-checked]");
  said.dataset.kind = kind;
  said.textContent = text;
  // A disabled button would lose the focus.
  find(row, "[data-act=check]").ariaBusy = String(kind === "wait");
}

/** The backups that pruning deletes. Those from before a restore are counted separately; those that cannot be read stay. */
function surplus() {
  const readable = shelved.items.filter((backup) => backup.valid && !isElsewhere(backup));
  const ours = readable.filter(({ trigger }) => trigger !== APART);
  const apart = readable.filter(({ trigger }) => trigger === APART);
  return [...ours.slice(shelved.keep), ...apart.slice(Number(facts.dataset.apart))];
}

/** @param {Backup[]} backups */
function surplusWords(backups) {
  const words = ngettext(
    "This permanently deletes %(count)s backup: %(names)s. The newest %(kept)s stay, and the newest %(apart)s from before a restore.",
    "This permanently deletes %(count)s backups: %(names)s. The newest %(kept)s stay, and the newest %(apart)s from before a restore.",
    backups.length,
  );
  const names = listed(backups.map(({ name }) => name));
  return fill(words, { count: whole(backups.length), names, kept: whole(shelved.keep), apart: facts.dataset.apart ?? "" });
}

/** @param {Backup} backup */
function openRestoring(backup) {
  open(restoring, backup);
  const accounts = fill(ngettext("%(count)s account", "%(count)s accounts", backup.accounts ?? 0), { count: whole(backup.accounts) });
  const records = fill(ngettext("%(count)s record", "%(count)s records", backup.records ?? 0), { count: whole(backup.records) });
  find(restoring, "[data-holds]").textContent = fill(gettext("%(accounts)s and %(records)s"), { accounts, records });
  fieldOf(formOf(restoring), "include_instance").checked = true;
  fieldOf(formOf(restoring), "confirm").focus();
}

/**
 * @param {HTMLDialogElement} dialog
 * @param {Backup | null} backup
 */
function open(dialog, backup) {
  chosen = backup;
  formOf(dialog).reset();
  clear(formOf(dialog));
  for (const at of findAll(dialog, "[data-at]")) at.textContent = backup?.created_at ?? "";
  for (const name of findAll(dialog, "[data-name]")) name.textContent = backup?.name ?? "";
  dialog.showModal();
}

/**
 * Runs a long action: the button shows the progress and gets the focus back.
 * @param {HTMLFormElement} form
 * @param {string} words
 * @param {() => Promise<void>} work
 */
async function busy(form, words, work) {
  const button = find(form, "[type=submit]", HTMLButtonElement);
  const [cancel, progress, usual] = [findAll(form, "[data-cancel]", HTMLButtonElement)[0], find(form, "progress"), button.textContent];
  const wait = (/** @type {boolean} */ waiting) => {
    button.disabled = waiting;
    if (cancel) cancel.disabled = waiting;
    progress.hidden = !waiting;
    button.textContent = waiting ? words : usual;
  };
  wait(true);
  try {
    await work();
  } finally {
    wait(false);
    if (document.activeElement === document.body) button.focus();
  }
}

/**
 * @param {HTMLDialogElement} dialog
 * @param {string} message
 */
async function finish(dialog, message) {
  dialog.close();
  said.textContent = message;
  await refresh();
  fieldOf(creating, "note").focus();
}

/**
 * @param {string} name
 * @param {string} text
 */
function fact(name, text) {
  find(facts, `[data-fact="${name}"]`).textContent = text;
}

/** @param {HTMLDialogElement} dialog */
function formOf(dialog) {
  return find(dialog, "form", HTMLFormElement);
}

/** @param {Pick<Backup, "name">} backup */
function addressOf({ name }) {
  return `/api/backups/${encodeURIComponent(name)}`;
}
