"""All messages of ended runs, as the archive keeps them; pages show them in the reader's language."""

WINDOW = "2026-09-01 00:00:00 to 2026-09-07 23:59:59"
_SIGN_IN = (
    "sign in to the service in your browser and paste the cookie again, together with that browser's user agent and "
    "from the host that api_base names"
)
_SUMMARY = "1200 new records, 31 already known."
_BROKEN = (
    "a single row is too large to be read",
    "it is not a JSON object",
    "its data is not an object",
    "its rows are not a list",
    "it holds more than 10,000 rows",
    "its total is not a count",
    "none of its rows has a requestId",
    "it cannot be decompressed",
    "its headers are too long",
    "HTTP 302 leads to no readable address",
)
_SILENCES = ("HTTP 503", "no whole answer within 30 s", "the connection to api.example.com failed or broke off")

MESSAGES = (
    "Stopped on request; what was stored stays, and the next run completes the rest.",
    "Stopped before it began.",
    "Another collection took over; nothing more was written.",
    "Another collection took over.",
    "Interrupted: its process died or stood still. What it stored stays; the next run completes it.",
    "Interrupted: no worker took it in time.",
    "Interrupted: the account was disabled or deleted.",
    "Interrupted: the account was deleted.",
    "Interrupted. The next run completes it.",
    "Something went wrong on this side. The server's log has the detail under event 01234567.",
    "The disk is full on this side. The server's log has the detail under event 0a1b2c3d.",
    "No cookie is set for this account: paste one in the settings.",
    "The stored cookie cannot be read under this instance's key: paste it again.",
    f"The upstream did not accept the cookie; {_SIGN_IN}.",
    f"The upstream asks for a new sign-in: {_SIGN_IN}.",
    "The upstream refused the user agent, not the cookie; user_agent must be exactly that of the browser which signed "
    "in (code 10085).",
    "The cookie is too large for the upstream, which takes about 8 KB: paste it with the cookies session and session_2 "
    "and leave out the others, first of all those of analytics (such as _ga, _gid, Hm_lvt).",
    "The upstream knows no such address (HTTP 404): check api_path and the host in api_base.",
    "The upstream's answer leads to www.example.com (HTTP 302): check api_base and api_path.",
    "The upstream's answer leads nowhere (HTTP 302): check api_base and api_path.",
    "The upstream forbids the request (HTTP 403): check user_agent, and that this machine is not blocked there.",
    "The upstream calls the parameters of the request invalid (code 10001).",
    "The upstream refused the request (HTTP 418).",
    "The upstream refused the request (HTTP 400, code 12345).",
    "The upstream refused the request (code 500): 系统繁忙",
    "The request cannot be sent: check api_base, api_path, cookie and user_agent.",
    "The certificate of api.example.com is not trusted: check that api_base is right, or turn ssl_verify off if you "
    "know who answers there.",
    *(f"The upstream gave no usable answer in 5 tries ({why}): try again later." for why in _SILENCES),
    "The upstream gave no usable answer (HTTP 503): try again later.",
    *(f"The upstream's answer is broken: {why}." for why in _BROKEN),
    "The upstream's answer is broken: rows without requestId (3). The others are stored; the next run asks for these "
    f"again. {_SUMMARY}",
    f"Asked twice for the calls from {WINDOW}, the upstream counts 1200, but gave 1180. What came is stored; the next "
    "run asks again.",
    f"The upstream's pages from {WINDOW} do not end; 20000 were read and stored. If there are as many calls, ask for "
    "fewer days at once.",
    f"What an earlier run left from {WINDOW} could not be read, and is not asked for again without dates: The "
    "upstream gave no usable answer in 5 tries (no whole answer within 30 s): try again later. Everything newer is "
    f"stored: {_SUMMARY}",
    _SUMMARY,
    "1200 new records, 31 already known, 2 changed at the upstream.",
    "1200 new records, 31 already known, 2 changed at the upstream, 4 rows could not be read and were skipped. None of "
    "them came with a prompt: the upstream gives prompts for about 32 days only.",
)

# Lines of the log.
LINES = (
    f"{WINDOW}: page 3, 200 rows of 1200, 180 new",
    f"{WINDOW}: again page 3, 200 rows of 1200, 0 new",
    *(f"{why}, waiting 2 s, try 2 of 5" for why in _SILENCES),
    f"{WINDOW}: no rows came, asked once more",
    f"{WINDOW}: 180 of 1200 rows came, asked once more",
    f"{WINDOW}: 3 of 1200 rows could not be read, asked once more",
    f"{WINDOW}: left by a run that broke off",
    f"{WINDOW}: capped at 1000, asked again in halves",
    f"{WINDOW}: 1000 rows in a minute may be capped, and cannot be asked for in halves",
    "2026-09-01: 180 records here, 200 at the upstream, read again",
    "page 3 is too large, asked again as 2 pages of 100",
)
