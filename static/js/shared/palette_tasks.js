// What people look for by its name though it is no page: tasks and settings, each with the words under which it is found.

import { at } from "./addresses.js";
import { gettext } from "./i18n.js";
import { isOfFiles } from "./own_archive.js";

/** @typedef {{path: string, label: string, words: string, forAdmin?: boolean, ofAsked?: boolean}} Task `ofAsked`: of an archive that is asked for its calls. */

// In the time of the browser, as the palette's months.
const MONTH = new Intl.DateTimeFormat("sv", { year: "numeric", month: "2-digit" }).format(new Date());

// The settings of the instance, by the page's groups.
const KEYS = {
  collection: "api_base api_path ssl_verify timeout page_size max_prompt rewind_minutes verify_days collect_min_interval_seconds collect_max_range_days packages token_base",
  schedule: "schedule_enabled schedule_times max_schedule_slots_per_day drift_tolerance_minutes catch_up catch_up_grace_hours allow_register register_max_per_ip max_account_megabytes captcha_policy captcha_length require_second_factor",
  backups: "backup_enabled backup_interval_hours backup_keep",
};

/** @type {Task[]} A translation of the words keeps the English ones. */
const TASKS = [
  { path: "/config#cookie-part", label: gettext("Cookie, and when it ends"), words: gettext("cookie session expired paste cURL"), ofAsked: true },
  { path: "/archives", label: gettext("Add an archive"), words: gettext("archive archives several service second account source credential") },
  { path: "/#budgets-title", label: gettext("Budgets"), words: gettext("budget limit threshold monthly") },
  { path: "/#month-title", label: gettext("Forecast of the month"), words: gettext("forecast estimate month end") },
  { path: "/#coverage-title", label: gettext("Missing days"), words: gettext("missing gap complete ledger coverage"), ofAsked: true },
  { path: "/runs#ledger-title", label: gettext("Prove days"), words: gettext("verify prove compare check bill"), ofAsked: true },
  { path: "/runs#ledger-title", label: gettext("Older calls"), words: gettext("older earlier before history fetch"), ofAsked: true },
  { path: "/records", label: gettext("Export records"), words: gettext("export download save csv json excel") },
  { path: "/import#account-title", label: gettext("Take everything with you"), words: gettext("export account move all data") },
  { path: "/packages", label: gettext("Packages of credits"), words: gettext("package credits left expire plan gift lost") },
  { path: "/repeated", label: gettext("Prompts that repeat"), words: gettext("repeat same prompt duplicate cheaper model save") },
  { path: "/summaries/week", label: gettext("Summary of the week"), words: gettext("summary report weekly") },
  { path: "/summaries/month", label: gettext("Summary of the month"), words: gettext("summary report monthly") },
  { path: `/statements/${MONTH}`, label: gettext("Statement of the month"), words: gettext("statement bill proof print save") },
  { path: "/notices#addresses-title", label: gettext("Addresses for notices"), words: gettext("notice address email telegram slack dingtalk feishu wecom") },
  { path: "/notices#quiet-title", label: gettext("Quiet hours"), words: gettext("quiet hours night silence") },
  { path: "/notices#webhooks-title", label: gettext("Webhooks"), words: gettext("webhook event program automation") },
  { path: "/profile#tokens-title", label: gettext("Tokens"), words: gettext("token api key program script") },
  { path: "/api/docs", label: gettext("API reference"), words: gettext("api reference endpoint program openapi") },
  { path: "/profile#about-title", label: gettext("Email and name"), words: gettext("email address name account") },
  { path: "/profile#looks-title", label: gettext("Language"), words: gettext("language english chinese") },
  { path: "/profile#looks-title", label: gettext("Light or dark"), words: gettext("theme dark light appearance") },
  { path: "/profile#password-title", label: gettext("Change password"), words: gettext("password security") },
  { path: "/profile#factor", label: gettext("Second factor"), words: gettext("second factor two-factor authenticator code passkey recovery security") },
  { path: "/config#privacy", label: gettext("Privacy of prompts"), words: gettext("privacy prompts hash beginning nothing keep") },
  { path: "/profile#sessions-title", label: gettext("Your sessions"), words: gettext("session device sign out everywhere") },
  { path: "/config#maintenance-title", label: gettext("Fill prompts"), words: gettext("prompt text fill maintenance"), ofAsked: true },
  { path: "/config#maintenance-title", label: gettext("Recount"), words: gettext("recount repair sums maintenance") },
  { path: "/users#invitations-title", label: gettext("Invite someone"), words: gettext("invite invitation user register account"), forAdmin: true },
  { path: "/users#people", label: gettext("Delete an account"), words: gettext("delete remove user"), forAdmin: true },
  { path: "/config/instance#collection-part", label: gettext("How calls are collected"), words: `${KEYS.collection} ${gettext("time limit rows per page certificate prompt length")}`, forAdmin: true },
  { path: "/config/instance", label: gettext("Schedule and limits"), words: `${KEYS.schedule} ${gettext("schedule registration captcha limit retention interval")}`, forAdmin: true },
  { path: "/config/instance#backups-part", label: gettext("Automatic backups"), words: `${KEYS.backups} ${gettext("backup interval kept")}`, forAdmin: true },
  { path: "/backups", label: gettext("Restore a backup"), words: gettext("backup restore snapshot"), forAdmin: true },
  { path: "/backups#shelf", label: gettext("Delete a backup"), words: gettext("backup delete remove prune"), forAdmin: true },
];

/**
 * The tasks of an account.
 * @param {boolean} isAdmin
 */
export const tasks = (isAdmin) =>
  TASKS.filter(({ forAdmin, ofAsked }) => (isAdmin || !forAdmin) && !(ofAsked && isOfFiles())).map(({ path, label, words }) => ({ address: at(path), label, words }));
