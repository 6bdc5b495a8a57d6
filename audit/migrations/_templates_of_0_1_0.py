"""The English texts that release 0.1.0 stored, by the code that they have now (`_sentences_of_0_1_0`)."""

from collections.abc import Mapping

SIGN_IN = (
    "sign in to the service in your browser and paste the cookie again, together with that browser's user agent and "
    "from the host that api_base names."
)
WINDOW = {"window": "{first:d} to {last:d}"}
PARTS = {
    "records_new": "{count:n} new records",
    "records_known": "{count:n} already known",
    "records_changed": "{count:n} changed at the upstream",
    "rows_skipped": "{count:n} rows could not be read and were skipped",
    "credits_were": "credits were {credits:t}",
    "value_was": "{name:t} was {value:t}",
}
REASONS = {
    "row_too_large": "a single row is too large to be read",
    "answer_not_object": "it is not a JSON object",
    "data_not_object": "its data is not an object",
    "rows_not_list": "its rows are not a list",
    "rows_too_many": "it holds more than {count:t} rows",
    "total_not_count": "its total is not a count",
    "no_row_with_id": "none of its rows has a requestId",
    "not_decompressed": "it cannot be decompressed",
    "headers_too_long": "its headers are too long",
    "redirect_unreadable": "HTTP {status:n} leads to no readable address",
    "answer_too_slow": "no whole answer within {seconds:t} s",
    "connection_failed": "the connection to {host:t} failed or broke off",
    "row_not_object": "it is not an object",
    "request_id_missing": "requestId is missing",
    "request_id_too_long": "requestId is longer than {most:n} characters",
    "credit_not_number": "credit is not a finite number",
    "credit_too_large": "credit is above 1e9 in size",
    "time_unreadable": "requestTime cannot be read",
    "no_rows_came": "no rows came",
    "rows_missing": "{count:n} of {total:n} rows came",
    "rows_unreadable": "{count:n} of {total:n} rows could not be read",
}
ENDS = {
    "stopped": "Stopped on request; what was stored stays, and the next run completes the rest.",
    "stopped_before_start": "Stopped before it began.",
    "run_taken_over": "Another collection took over; nothing more was written.",
    "filling_taken_over": "Another collection took over.",
    "process_died": ("Interrupted: its process died or stood still. What it stored stays; the next run completes it."),
    "no_worker": "Interrupted: no worker took it in time.",
    "owner_gone": "Interrupted: the account was disabled or deleted.",
    "owner_deleted": "Interrupted: the account was deleted.",
    "broken_off": "Interrupted. The next run completes it.",
    "internal_error": ("Something went wrong on this side. The server's log has the detail under event {event:t}."),
    "disk_full": "The disk is full on this side. The server's log has the detail under event {event:t}.",
    "cookie_missing": "No cookie is set for this account: paste one in the settings.",
    "cookie_unreadable": "The stored cookie cannot be read under this instance's key: paste it again.",
    "cookie_refused": f"The upstream did not accept the cookie; {SIGN_IN}",
    "sign_in_asked": f"The upstream asks for a new sign-in: {SIGN_IN}",
    "user_agent_refused": (
        "The upstream refused the user agent, not the cookie; user_agent must be exactly that of the browser which "
        "signed in (code 10085)."
    ),
    "cookie_too_large": (
        "The cookie is too large for the upstream, which takes about 8 KB: paste it with the cookies session and "
        "session_2 and leave out the others, first of all those of analytics (such as _ga, _gid, Hm_lvt)."
    ),
    "address_unknown": (
        "The upstream knows no such address (HTTP {status:n}): check api_path and the host in api_base."
    ),
    "address_moved": "The upstream's answer leads to {host:t} (HTTP {status:n}): check api_base and api_path.",
    "address_leads_nowhere": "The upstream's answer leads nowhere (HTTP {status:n}): check api_base and api_path.",
    "request_forbidden": (
        "The upstream forbids the request (HTTP 403): check user_agent, and that this machine is not blocked there."
    ),
    "parameters_refused": "The upstream calls the parameters of the request invalid (code 10001).",
    "request_refused": "The upstream refused the request (HTTP {status:n}).",
    "request_refused_with_code": "The upstream refused the request (HTTP {status:n}, code {upstream_code:t}).",
    "request_refused_in_words": "The upstream refused the request (code {upstream_code:t}): {answer:t}",
    "request_not_sendable": "The request cannot be sent: check api_base, api_path, cookie and user_agent.",
    "certificate_not_trusted": (
        "The certificate of {host:t} is not trusted: check that api_base is right, or turn ssl_verify off if you know "
        "who answers there."
    ),
    "no_answer_in_tries": "The upstream gave no usable answer in {tries:n} tries ({why:m}): try again later.",
    "no_answer": "The upstream gave no usable answer ({why:m}): try again later.",
    "rows_without_id": (
        "The upstream's answer is broken: rows without requestId ({count:n}). The others are stored; the next run "
        "asks for these again. {rest:s}"
    ),
    "answer_broken": "The upstream's answer is broken: {why:s}.",
    "window_incomplete": (
        "Asked twice for the calls from {window:s}, the upstream counts {total:n}, but gave {count:n}. What came is "
        "stored; the next run asks again."
    ),
    "pages_without_end": (
        "The upstream's pages from {window:s} do not end; {count:n} were read and stored. If there are as many calls, "
        "ask for fewer days at once."
    ),
    "leftover_unreadable": (
        "What an earlier run left from {window:s} could not be read, and is not asked for again without dates: "
        "{why:s} Everything newer is stored: {rest:s}"
    ),
    "collected_without_prompts": (
        "{counts:l}. None of them came with a prompt: the upstream gives prompts for about 32 days only."
    ),
    "collected": "{counts:l}.",
}
LINES = {
    "page_read": "{window:s}: page {number:n}, {count:n} rows of {total:n}, {added:n} new",
    "page_read_again": "{window:s}: again page {number:n}, {count:n} rows of {total:n}, {added:n} new",
    "page_in_parts": "page {number:n} is too large, asked again as {count:n} pages of {total:n}",
    "row_skipped": "skipped row {row:n} of page {number:n}: {why:s}",
    "conflict": "conflict {request:t}: {differences:l}",
    "waiting": "{why:m}, waiting {seconds:t} s, try {number:n} of {tries:n}",
    "window_again": "{window:s}: {why:s}, asked once more",
    "window_left": "{window:s}: left to be read again",
    "window_capped": "{window:s}: capped at {total:n}, asked again in halves",
    "minute_capped": "{window:s}: {total:n} rows in a minute may be capped, and cannot be asked for in halves",
    "day_incomplete": "{window:d}: {count:n} records here, {total:n} at the upstream, read again",
}
CHANGES = {
    "nothing_changed": "nothing changed",
    "display_name": "display name",
    "email": "email",
    "administrator": "administrator",
    "no_administrator": "no administrator",
    "active": "active",
    "disabled": "disabled",
    "password_reset": "password reset",
    "language": "language",
    "theme": "theme",
}
RUN = {"run_ended": "run {run:n} ({trigger:t}): {end:s}"}
SETTINGS = {
    "settings_rejected": "{changed:s}; {errors:t}",
    "settings_changed": "changed {keys:L}",
    "nothing_changed": "nothing changed",
}
MADE = {"backup_made": "{name:t} ({size:t}, {accounts:s}, {records:s})"}
NOTED = {"backup_noted": "{made:s}, note: {note:t}"}
EXPORT = {
    "export_from_start": "the first day",
    "export_to_end": "the last",
    "export_filter": "by {name:t}",
}
# What each action stored.
BY_ACTION: Mapping[str, Mapping[str, str]] = {
    "collect": RUN,
    "collect_failed": RUN,
    "login_failed": {
        "name_unknown": "unknown name",
        "password_wrong": "wrong password",
        "account_disabled": "disabled account",
        "captcha_wrong": "captcha",
    },
    "logout": {"signed_out_elsewhere": "everywhere else: {count:n}"},
    "first_run": {"first_administrator_created": "first administrator made"},
    "user_create": {"administrator_created": "administrator {name:t}", "user_created": "user {name:t}"},
    "user_update": {
        "archive_adopted": "archive adopted: {count:n} records of id {id:n} for {name:t}",
        "user_changed": "{name:t}: {changes:l}",
    },
    "profile": {"profile_changed": "{changes:l}"},
    "user_delete": {
        "user_deleted": "{name:t} (id {id:n}), data deleted",
        "user_deleted_data_kept": "{name:t} (id {id:n}), data kept",
    },
    "settings": SETTINGS,
    "settings_rejected": SETTINGS,
    "export": {
        "records_exported_by": "{first:m} to {last:m}, {order:t}, {filters:l}",
        "records_exported": "{first:m} to {last:m}, {order:t}",
    },
    "backup_create": {
        "backup_failed": "failed: {reason:t}",
        "backup_made_others_removed": "{made:s}; removed {names:L}",
        **NOTED,
        **MADE,
    },
    "backup_prune": {"backups_removed": "Removed {names:L}.", "no_backup_removed": "There is none too many."},
    "backup_restore": {"restored_without_key": "{name:t}, without its key"},
    "maintenance:fill-prompt": {
        "no_prompt_missing": "No prompt of the last month is missing.",
        "prompts_filled_others_met": (
            "{filled:n} prompts filled, of {missing:n} that were missing or cut. The upstream also has calls that are "
            "not here, or differ from those here; the next collection reads them."
        ),
        "prompts_filled": "{filled:n} prompts filled, of {missing:n} that were missing or cut.",
    },
    "maintenance:export-csv": {"csv_exported": "Exported to {name:t}."},
    "maintenance:vacuum": {
        "database_cleans_up": "This database cleans up by itself.",
        "store_compacted": "The store is compact: {freed:t} MiB were given back.",
    },
    "maintenance:recount": {
        "recounted": "{records:n} records.",
        "recount_mended": "{records:n} records; {mended:n} sums were wrong and are mended.",
    },
}
# What may stand within another sentence, by the name of its place.
WITHIN: Mapping[str, Mapping[str, str]] = {
    "window": WINDOW,
    "counts": PARTS,
    "differences": PARTS,
    "why": {**REASONS, **ENDS},
    "rest": ENDS,
    "end": ENDS,
    "changes": CHANGES,
    "changed": {name: SETTINGS[name] for name in ("settings_changed", "nothing_changed")},
    "made": {**NOTED, **MADE},
    "first": EXPORT,
    "last": EXPORT,
    "filters": EXPORT,
}
