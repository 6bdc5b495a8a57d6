// The messages and log lines of runs. They are stored in English; known sentences, with their reasons, numbers and lists,
// are translated to the language of the reader when they are shown.

import { whole } from "./formats.js";
import { fill, gettext as translated, language } from "./i18n.js";

// Only marks a text for translation: the English text is needed for the search.
/** @param {string} text */
const gettext = (text) => text;

// The first match counts; other texts stay as they are. `tests/collection/run_messages.py` lists all messages.
const KNOWN = [
  gettext("Stopped on request; what was stored stays, and the next run completes the rest."),
  gettext("Stopped before it began."),
  gettext("Another collection took over; nothing more was written."),
  gettext("Another collection took over."),
  gettext("Interrupted: its process died or stood still. What it stored stays; the next run completes it."),
  gettext("Interrupted: no worker took it in time."),
  gettext("Interrupted: the account was disabled or deleted."),
  gettext("Interrupted: the account was deleted."),
  gettext("Interrupted. The next run completes it."),
  gettext("Something went wrong on this side. The server's log has the detail under event %(event)s."),
  gettext("The disk is full on this side. The server's log has the detail under event %(event)s."),
  gettext("No cookie is set for this account: paste one in the settings."),
  gettext("The stored cookie cannot be read under this instance's key: paste it again."),
  gettext("The upstream did not accept the cookie; sign in to the service in your browser and paste the cookie again, together with that browser's user agent and from the host that api_base names."),
  gettext("The upstream asks for a new sign-in: sign in to the service in your browser and paste the cookie again, together with that browser's user agent and from the host that api_base names."),
  gettext("The upstream refused the user agent, not the cookie; user_agent must be exactly that of the browser which signed in (code 10085)."),
  gettext("The cookie is too large for the upstream, which takes about 8 KB: paste it with the cookies session and session_2 and leave out the others, first of all those of analytics (such as _ga, _gid, Hm_lvt)."),
  gettext("The upstream knows no such address (HTTP %(status)s): check api_path and the host in api_base."),
  gettext("The upstream's answer leads to %(host)s (HTTP %(status)s): check api_base and api_path."),
  gettext("The upstream's answer leads nowhere (HTTP %(status)s): check api_base and api_path."),
  gettext("The upstream forbids the request (HTTP 403): check user_agent, and that this machine is not blocked there."),
  gettext("The upstream calls the parameters of the request invalid (code 10001)."),
  gettext("The upstream refused the request (HTTP %(status)s, code %(code)s)."),
  gettext("The upstream refused the request (HTTP %(status)s)."),
  gettext("The upstream refused the request (code %(code)s): %(answer)s"),
  gettext("The request cannot be sent: check api_base, api_path, cookie and user_agent."),
  gettext("The certificate of %(host)s is not trusted: check that api_base is right, or turn ssl_verify off if you know who answers there."),
  gettext("The upstream gave no usable answer in %(tries)s tries (%(why)s): try again later."),
  gettext("The upstream gave no usable answer (%(why)s): try again later."),
  gettext("The upstream's answer is broken: rows without requestId (%(count)s). The others are stored; the next run asks for these again. %(rest)s"),
  gettext("The upstream's answer is broken: %(why)s."),
  gettext("Asked twice for the calls from %(window)s, the upstream counts %(total)s, but gave %(count)s. What came is stored; the next run asks again."),
  gettext("The upstream's pages from %(window)s do not end; %(count)s were read and stored. If there are as many calls, ask for fewer days at once."),
  gettext("What an earlier run left from %(window)s could not be read, and is not asked for again without dates: %(why)s Everything newer is stored: %(rest)s"),
  // Reasons within the sentences above.
  gettext("a single row is too large to be read"),
  gettext("it is not a JSON object"),
  gettext("its data is not an object"),
  gettext("its rows are not a list"),
  gettext("it holds more than %(count)s rows"),
  gettext("its total is not a count"),
  gettext("none of its rows has a requestId"),
  gettext("it cannot be decompressed"),
  gettext("its headers are too long"),
  gettext("HTTP %(status)s leads to no readable address"),
  gettext("no whole answer within %(seconds)s s"),
  gettext("the connection to %(host)s failed or broke off"),
  // The result of a run: its counts are a list.
  gettext("%(counts)s. None of them came with a prompt: the upstream gives prompts for about 32 days only."),
  gettext("%(counts)s."),
  gettext("%(count)s new records"),
  gettext("%(count)s already known"),
  gettext("%(count)s changed at the upstream"),
  gettext("%(count)s rows could not be read and were skipped"),
  gettext("%(first)s to %(last)s"),
  // Lines of the log.
  gettext("%(window)s: page %(number)s, %(count)s rows of %(total)s, %(added)s new"),
  gettext("%(window)s: again page %(number)s, %(count)s rows of %(total)s, %(added)s new"),
  gettext("%(why)s, waiting %(seconds)s s, try %(number)s of %(tries)s"),
  gettext("%(window)s: %(why)s, asked once more"),
  gettext("no rows came"),
  gettext("%(count)s of %(total)s rows came"),
  gettext("%(count)s of %(total)s rows could not be read"),
  gettext("%(window)s: left by a run that broke off"),
  gettext("%(window)s: capped at %(total)s, asked again in halves"),
  gettext("%(window)s: %(total)s rows in a minute may be capped, and cannot be asked for in halves"),
  gettext("%(window)s: %(count)s records here, %(total)s at the upstream, read again"),
  gettext("page %(number)s is too large, asked again as %(count)s pages of %(total)s"),
];
const NUMBER = "[\\d,]+";
const TIME = "[-\\d: ]+";
// Any other place matches any text.
/** @type {Record<string, string>} */
const SHAPES = { count: NUMBER, total: NUMBER, added: NUMBER, tries: NUMBER, number: NUMBER, counts: "\\d+ [^.]+", first: TIME, last: TIME };
// In English there is nothing to translate.
const PATTERNS = language.startsWith("en") ? [] : KNOWN.map((text) => ({ text, pattern: patternOf(text) }));
const LIST = new Intl.ListFormat(language);

/**
 * The message of a run that is over; empty if it has none.
 * @param {Partial<Pick<Run, "message">>} run
 */
export const messageWords = ({ message }) => inReadersLanguage(message ?? "");

/**
 * A sentence of the collector in the language of the reader.
 * @param {string} sentence
 * @returns {string}
 */
export function inReadersLanguage(sentence) {
  for (const { text, pattern } of PATTERNS) {
    const found = sentence.match(pattern);
    if (found) return fill(translated(text), valuesOf(found.groups ?? {}));
  }
  return sentence;
}

/**
 * A line of the log, its text translated; it starts with the time.
 * @param {string} line
 */
export const lineWords = (line) => line.slice(0, 20) + inReadersLanguage(line.slice(20));

/** @param {string} text */
function patternOf(text) {
  const exact = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const places = exact.replace(/%\\\((\w+)\\\)s/g, (_, name) => `(?<${name}>${SHAPES[name] ?? ".+?"})`);
  return new RegExp(`^${places}$`, "s");
}

/** @param {Record<string, string>} groups */
function valuesOf(groups) {
  const said = (/** @type {[string, string]} */ [name, value]) => {
    if (SHAPES[name] === NUMBER) return [name, whole(Number(value.replaceAll(",", "")))];
    return [name, name === "counts" ? LIST.format(value.split(", ").map(inReadersLanguage)) : inReadersLanguage(value)];
  };
  return Object.fromEntries(Object.entries(groups).map(said));
}
