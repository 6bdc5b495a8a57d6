// What a run says of itself. The archive keeps it in English, as it was when it happened; what is known is said in the
// reader's language.

import { whole } from "archive/formats";
import { fill, gettext, language } from "archive/words";

// The first that fits; a sentence that fits none stays as it is.
const KNOWN = [
  [/user[_ ]agent must be exactly/, gettext("The upstream refused the User-Agent, not the cookie: it must be exactly that of the browser which signed in.")],
  [/cookie is too large/, gettext("The cookie is too large for the upstream, which takes about 8 KB: leave out what is not session or session_2.")],
  [/did not accept the cookie|asks for a new sign-in/, gettext("The upstream did not accept the cookie: paste it again, of the browser and the host that you sign in with.")],
  [/^No cookie is set/, gettext("No cookie is set for this account: paste one in the settings.")],
  [/cookie.*(cannot be read|cannot be decrypted)/, gettext("The stored cookie cannot be read any more: paste it again.")],
  [/knows no such address|leads (to|nowhere)/, gettext("There is no usage API at this address of the upstream: check api_base and api_path.")],
  [/certificate/, gettext("The upstream's certificate is not trusted.")],
  [/no usable answer/, gettext("The upstream gave no usable answer: try again later.")],
  [/answer is broken/, gettext("The upstream's answer cannot be read.")],
  [/^Stopped/, gettext("Stopped on request; what was stored stays, and the next run completes the rest.")],
  [/^Interrupted/, gettext("Interrupted; what was stored stays, and the next run completes the rest.")],
];

const PLAIN = /^\d+ new records, \d+ already known\.$/;

/** The sentence of a run that is over, empty where it has none. */
export function messageWords({ message, added, dup }) {
  if (!message || language.startsWith("en")) return message ?? "";
  if (PLAIN.test(message)) return fill(gettext("%(added)s new records, %(dup)s already known."), { added: whole(added), dup: whole(dup) });
  return KNOWN.find(([words]) => words.test(message))?.[1] ?? message;
}
