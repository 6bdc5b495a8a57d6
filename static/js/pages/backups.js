// The backups of the instance: made with a note, downloaded, restored behind the file's name, deleted and pruned.

import { get, post, reread } from "../shared/api.js";
import { clear, onSubmit, say, sayDone } from "../shared/form_fields.js";
import { whole, withoutKey } from "../shared/formats.js";
import { fill, gettext, ngettext } from "../shared/i18n.js";

const TRIGGERS = { manual: gettext("by hand"), auto: gettext("automatic"), pre_restore: gettext("before a restore") };
const APART = "pre_restore";
const ACTS = {
  download: gettext("Download the backup of %(at)s"),
  check: gettext("Check the backup of %(at)s"),
  restore: gettext("Restore the backup of %(at)s"),
  delete: gettext("Delete the backup of %(at)s"),
};
const said = document.getElementById("said");
const creating = document.getElementById("create");
const facts = document.getElementById("facts");
const shelf = document.getElementById("shelf");
const table = shelf.querySelector("table");
const failed = shelf.querySelector("[data-failed]");
const pruneButton = document.getElementById("prune-button");
const [restoring, deleting, pruning, restored] = ["restore", "delete", "prune", "restored"].map((id) => document.getElementById(id));
let listed = { items: [], keep: 0 }; // the last answer of the API
let chosen = null; // the backup that a dialog speaks of
const checks = new Map(); // by name, what is said of each backup's check; the rows come and go

shelf.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-act]");
  if (!button) return;
  const backup = listed.items.find(({ name }) => name === button.closest("tr").dataset.name);
  if (button.dataset.act === "check") check(backup);
  else if (button.dataset.act === "restore") openRestoring(backup);
  else open(deleting, backup);
});
pruneButton.addEventListener("click", () => {
  pruning.querySelector("[data-surplus]").textContent = surplusWords(surplus());
  open(pruning, null);
});
for (const button of document.querySelectorAll("[data-cancel]")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}
// A restore cannot be called back: its dialog stays until it has ended, and so does the word that it has.
restoring.addEventListener("cancel", (event) => { if (formOf(restoring).ariaBusy === "true") event.preventDefault(); });
restored.addEventListener("cancel", (event) => event.preventDefault());
shelf.querySelector("[data-again]").addEventListener("click", load);
document.addEventListener("archive:signed-in", load);

onSubmit(creating, () => busy(creating, gettext("Creating…"), async () => {
  const { message, pruned } = await post("/api/backups", { note: creating.elements.note.value.trim() });
  creating.reset();
  sayDone(creating, gettext("Done."));
  said.textContent = pruned?.length
    ? fill(gettext("%(message)s Older ones that went for it: %(names)s."), { message, names: pruned.join(", ") })
    : message;
  await refresh();
}));

onSubmit(formOf(restoring), async () => {
  const { confirm, include_instance: key } = formOf(restoring).elements;
  if (confirm.value.trim() !== chosen.name) {
    say(confirm, gettext("Type the name of the file, as it stands below."));
    confirm.focus();
    return;
  }
  await busy(formOf(restoring), gettext("Restoring…"), async () => {
    const { message } = await post(`${addressOf(chosen)}/restore`, { include_instance: key.checked });
    restored.querySelector("[data-message]").textContent = message;
    restoring.close();
    restored.showModal();
  });
});

onSubmit(formOf(deleting), async () => {
  const { message } = await post(`${addressOf(chosen)}/delete`);
  await finish(deleting, message);
});

onSubmit(formOf(pruning), async () => {
  const { message } = await post("/api/backups/prune");
  await finish(pruning, message);
});

load();

async function load() {
  try {
    const [answer, { backup }] = await Promise.all([get("/api/backups"), get("/api/status")]);
    listed = answer;
    showFacts(answer, backup);
    table.tBodies[0].replaceChildren(...answer.items.map(rowOf));
    table.hidden = answer.items.length === 0;
    shelf.querySelector("[data-empty]").hidden = answer.items.length > 0;
    pruneButton.hidden = surplus().length === 0;
    failed.hidden = true;
  } catch (error) {
    shelf.querySelector("[data-failed-text]").textContent = error.message;
    failed.hidden = false;
  }
  shelf.setAttribute("aria-busy", "false");
}

/** Reads the list again, and how much room is left, which the page's frame tells. */
async function refresh() {
  const page = await reread().catch(() => null);
  if (page) facts.dataset.free = page.getElementById("facts").dataset.free;
  await load();
}

function showFacts({ items, total_human: total, dir, enabled, interval_hours: hours, keep, last_auto: last }, { next }) {
  const automatic = enabled ? gettext("%(every)s; the newest %(kept)s are kept.") : gettext("switched off. The newest %(kept)s are kept.");
  const room = ngettext("%(total)s in %(count)s file; %(free)s of the disk are free.", "%(total)s in %(count)s files; %(free)s of the disk are free.", items.length);
  fact("automatic", fill(automatic, { every: everyWords(hours), kept: whole(keep) }));
  fact("last", last ?? gettext("none yet"));
  fact("next", next ?? (enabled ? gettext("not planned") : "–"));
  fact("room", fill(room, { total, count: whole(items.length), free: facts.dataset.free }));
  fact("dir", dir);
}

function everyWords(hours) {
  if (hours === 24) return gettext("every day");
  if (hours % 24) return fill(ngettext("every %(count)s hour", "every %(count)s hours", hours), { count: hours });
  return fill(gettext("every %(count)s days"), { count: hours / 24 });
}

function rowOf(backup) {
  const row = document.getElementById("backup-row").content.cloneNode(true).firstElementChild;
  const put = (name, text) => { row.querySelector(`[data-${name}]`).textContent = text; };
  row.dataset.name = backup.name;
  put("at", backup.created_at);
  put("name", backup.name);
  put("sum", backup.sha256 ? `SHA-256 ${backup.sha256.slice(0, 12)}…` : "");
  row.querySelector("[data-sum]").title = backup.sha256 ?? "";
  put("trigger", TRIGGERS[backup.trigger] ?? backup.trigger);
  put("note", backup.note || "–");
  row.querySelector("[data-note]").toggleAttribute("data-none", !backup.note);
  put("accounts", whole(backup.accounts));
  put("records", whole(backup.records));
  put("size", backup.size_human);
  row.querySelector("[data-invalid]").hidden = backup.valid;
  row.querySelector("[data-act=restore]").hidden = !backup.valid;
  row.querySelector("[data-download]").href = addressOf(backup);
  showCheck(row);
  for (const act of row.querySelectorAll(".actions > *")) act.setAttribute("aria-label", fill(ACTS[act.dataset.act ?? "download"], { at: backup.created_at }));
  return row;
}

/** Has a backup opened as a restore would, and says beside it what came of that. */
async function check(backup) {
  if (checks.get(backup.name)?.kind === "wait") return;
  const tell = (kind, text) => {
    checks.set(backup.name, { kind, text });
    const row = [...table.tBodies[0].rows].find(({ dataset }) => dataset.name === backup.name);
    if (row) showCheck(row);
  };
  tell("wait", gettext("Checking, from end to end…"));
  try {
    await post(`${addressOf(backup)}/check`);
    tell("done", gettext("Checked: it can be restored."));
  } catch (error) {
    // Another is checked or made: nothing is wrong with this one.
    tell(error.code === "busy" ? "busy" : "failed", withoutKey(error.message, backup.name));
  }
}

function showCheck(row) {
  const { kind = "", text = "" } = checks.get(row.dataset.name) ?? {};
  const said = row.querySelector("[data-checked]");
  said.dataset.kind = kind;
  said.textContent = text;
  // The button is not disabled: it would lose the focus.
  row.querySelector("[data-act=check]").ariaBusy = String(kind === "wait");
}

/** The backups that pruning deletes: those before a restore are counted apart, what cannot be read stays. */
function surplus() {
  const readable = listed.items.filter(({ valid }) => valid);
  const ours = readable.filter(({ trigger }) => trigger !== APART);
  const apart = readable.filter(({ trigger }) => trigger === APART);
  return [...ours.slice(listed.keep), ...apart.slice(Number(facts.dataset.apart))];
}

function surplusWords(backups) {
  const words = ngettext(
    "%(count)s backup is deleted for good: %(names)s. The newest %(kept)s stay, and the newest %(apart)s from before a restore.",
    "%(count)s backups are deleted for good: %(names)s. The newest %(kept)s stay, and the newest %(apart)s from before a restore.",
    backups.length,
  );
  const names = backups.map(({ name }) => name).join(", ");
  return fill(words, { count: whole(backups.length), names, kept: whole(listed.keep), apart: facts.dataset.apart });
}

function openRestoring(backup) {
  open(restoring, backup);
  const accounts = fill(ngettext("%(count)s account", "%(count)s accounts", backup.accounts), { count: whole(backup.accounts) });
  const records = fill(ngettext("%(count)s record", "%(count)s records", backup.records), { count: whole(backup.records) });
  restoring.querySelector("[data-holds]").textContent = fill(gettext("%(accounts)s and %(records)s"), { accounts, records });
  formOf(restoring).elements.include_instance.checked = true;
  formOf(restoring).elements.confirm.focus();
}

function open(dialog, backup) {
  chosen = backup;
  formOf(dialog).reset();
  clear(formOf(dialog));
  for (const at of dialog.querySelectorAll("[data-at]")) at.textContent = backup.created_at;
  for (const name of dialog.querySelectorAll("[data-name]")) name.textContent = backup.name;
  dialog.showModal();
}

/** Runs what takes its time, with the button saying so; the focus comes back to it. */
async function busy(form, words, work) {
  const button = form.querySelector("[type=submit]");
  const [cancel, progress, usual] = [form.querySelector("[data-cancel]"), form.querySelector("progress"), button.textContent];
  const wait = (waiting) => {
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

async function finish(dialog, message) {
  dialog.close();
  said.textContent = message;
  await refresh();
  creating.elements.note.focus();
}

function fact(name, text) {
  facts.querySelector(`[data-fact="${name}"]`).textContent = text;
}

function formOf(dialog) {
  return dialog.querySelector("form");
}

function addressOf({ name }) {
  return `/api/backups/${encodeURIComponent(name)}`;
}
