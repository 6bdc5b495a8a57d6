"""Templates of messages about runs, of their detail lines and of audit details, by code."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy, pgettext_lazy

_ENDS = {
    "collected": _("%(counts)s."),
    "collected_without_prompts": _(
        "%(counts)s. None of them came with a prompt: %(service)s gives prompts for about 32 days only."
    ),
    "records_new": ngettext_lazy("%(count)s new record", "%(count)s new records", "count"),
    "records_known": _("%(count)s already known"),
    "records_changed": _("%(count)s changed at %(service)s"),
    "records_too_old": _("%(count)s left out, since calls of their days were erased"),
    "verification_of_erased": _("The calls of these days were erased."),
    "erased_days_left_out": _("Calls before %(day)s were erased: the run starts on that day."),
    "rows_skipped": ngettext_lazy(
        "%(count)s row could not be read and was skipped",
        "%(count)s rows could not be read and were skipped",
        "count",
    ),
    "windows_unconfirmed": _("not confirmed by %(service)s and read again later (%(windows)s)"),
    "account_in_doubt": _(
        "none of the calls that the archive has of the last days, so perhaps of another account: no day was noted"
    ),
    "windows_waiting": ngettext_lazy(
        "%(count)s window could not be read and is read again later",
        "%(count)s windows could not be read and are read again later",
        "count",
    ),
    "windows_more": _("%(count)s more"),
    # Of earlier versions.
    "day_settled": _("1 day settled"),
    "days_settled": ngettext_lazy("%(count)s day settled", "%(count)s days settled", "count"),
    "days_differ_from_bill": ngettext_lazy(
        "%(count)s day differs from the daily sums of %(service)s",
        "%(count)s days differ from the daily sums of %(service)s",
        "count",
    ),
    "bills_read": ngettext_lazy("%(count)s day of bills read", "%(count)s days of bills read", "count"),
    "bills_new": ngettext_lazy("%(count)s day with new sums", "%(count)s days with new sums", "count"),
    "bills_known": _("%(count)s already known"),
    "bills_unread": _("The daily sums of %(service)s could not be read: %(why)s"),
    "packages_unread": _("The credit packages of %(service)s could not be read: %(why)s"),
    "refused_beside_calls": _("%(service)s refuses this to the credential with which it gives the calls."),
    "packages_begun_anew": _("The packages are of another account than the calls: they are forgotten."),
    "packages_of_unknown": _("It is not known whether the credential belongs to the account whose calls are archived."),
    "packages_left_out": ngettext_lazy(
        "%(count)s further credit package was not read.", "%(count)s further credit packages were not read.", "count"
    ),
    "packages_skipped": ngettext_lazy(
        "%(count)s credit package could not be read and was skipped.",
        "%(count)s credit packages could not be read and were skipped.",
        "count",
    ),
    "orders_unread": _("The orders of %(service)s could not be read: %(why)s"),
    "orders_skipped": ngettext_lazy(
        "%(count)s order could not be read and was skipped.",
        "%(count)s orders could not be read and were skipped.",
        "count",
    ),
    "late_changes": _("%(added)s new and %(changed)s changed in days that were read again"),
    "older_fetched": _(
        "%(counts)s. %(service)s has no calls from before %(first)s: every day back to %(last)s was read."
    ),
    "older_none": _("%(counts)s. %(service)s has no calls: every day back to %(last)s was read."),
    "older_stopped": _("Stopped on request: every day back to %(day)s is read. Fetch older calls again to continue."),
    "older_stopped_early": _("Stopped on request before a week was read. Fetch older calls again to continue."),
    "older_made_room": _(
        "Others waited, so this run ended after half an hour; what was stored stays. "
        "Fetch older calls again to continue."
    ),
    "older_died": _(
        "Interrupted: its process died or stood still. What it stored stays; fetch older calls again to continue."
    ),
    "verified_equal": ngettext_lazy(
        "The archive equals %(service)s's list from %(first)s to %(last)s: %(calls)s call, %(credits)s %(unit)s.",
        "The archive equals %(service)s's list from %(first)s to %(last)s: %(calls)s calls, %(credits)s %(unit)s.",
        "calls",
    ),
    "verified_different": _("The archive differs from %(service)s's list from %(first)s to %(last)s: %(differences)s."),
    "missing_here": ngettext_lazy("%(count)s call missing here", "%(count)s calls missing here", "count"),
    "missing_there": ngettext_lazy(
        "%(count)s call missing at %(service)s",
        "%(count)s calls missing at %(service)s",
        "count",
    ),
    "other_credits": ngettext_lazy(
        "%(count)s call with other %(unit)s", "%(count)s calls with other %(unit)s", "count"
    ),
    "other_model": ngettext_lazy("%(count)s call with another model", "%(count)s calls with another model", "count"),
    "other_client": ngettext_lazy("%(count)s call with another client", "%(count)s calls with another client", "count"),
    "other_time": ngettext_lazy("%(count)s call with another time", "%(count)s calls with another time", "count"),
    "unconfirmed_there": ngettext_lazy(
        "%(count)s window whose calls and count do not agree at %(service)s",
        "%(count)s windows whose calls and count do not agree at %(service)s",
        "count",
    ),
    "unreadable_there": ngettext_lazy(
        "%(count)s row of %(service)s's answers that could not be read",
        "%(count)s rows of %(service)s's answers that could not be read",
        "count",
    ),
    "verification_stopped": _("Stopped on request before all days were compared."),
    "verification_died": _("Interrupted: its process died or stood still. Verify again to compare all days."),
    "made_room": _(
        "Others waited, so this run ended after half an hour; what was stored stays, and the next run goes on."
    ),
    "stopped": _("Stopped on request; what was stored stays, and the next run completes the rest."),
    "stopped_before_start": _("Stopped before it began."),
    "run_taken_over": _("Another collection took over; nothing more was written."),
    "store_is_newer": _("The store is of a newer version than this node; nothing more was written."),
    "filling_taken_over": _("Another collection took over."),
    "process_died": _("Interrupted: its process died or stood still. What it stored stays; the next run completes it."),
    "no_worker": _("Interrupted: no worker took it in time."),
    "no_days_to_read": _("Interrupted: there are no days that it could read."),
    "owner_gone": _("Interrupted: the account was disabled or deleted."),
    "owner_deleted": _("Interrupted: the account was deleted."),
    "broken_off": _("Interrupted. The next run completes it."),
    "internal_error": _("Something went wrong on this side. The server's log has the detail under event %(event)s."),
    "store_unusable": _("The store of this instance is damaged or missing."),
    "disk_full": _("The disk is full on this side. The server's log has the detail under event %(event)s."),
}

_IMPORTS = {
    "imported": _("%(counts)s."),
    "import_records_changed": _("%(count)s with other values than here, which were replaced"),
    "import_rows_differ": ngettext_lazy(
        "%(count)s row differs from a later row of the same call, which wins",
        "%(count)s rows differ from a later row of the same call, which wins",
        "count",
    ),
    "import_prompts": ngettext_lazy(
        "%(count)s prompt more complete than here",
        "%(count)s prompts more complete than here",
        "count",
    ),
    "import_runs": ngettext_lazy("%(count)s run added to the history", "%(count)s runs added to the history", "count"),
    "import_none_readable": _("None of its rows can be read; %(rows)s."),
    "import_row_why": _("row %(row)s: %(why)s"),
    "import_taken_over": _("Another collection took over; nothing was imported."),
    "import_stopped": _("Stopped; nothing was imported."),
    "import_died": _("Interrupted: its process died. Nothing was imported."),
    "import_cut_off_after": ngettext_lazy(
        "%(why)s %(count)s of its calls is stored; import the file again for the rest: nothing is stored twice.",
        "%(why)s %(count)s of its calls are stored; import the file again for the rest: nothing is stored twice.",
        "count",
    ),
    "import_of_bills_cut_off": ngettext_lazy(
        "%(why)s %(count)s of its days is stored; import the file again for the rest.",
        "%(why)s %(count)s of its days are stored; import the file again for the rest.",
        "count",
    ),
    "import_cut_off": _(
        "Interrupted. What it stored stays; import the file again for the rest: nothing is stored twice."
    ),
    "import_cut_off_between": _(
        "%(why)s The archives that the file has before this one are imported; import the file again for the rest."
    ),
    "import_process_died": _("Interrupted: its process died or stood still."),
    "stopped_at_once": _("Stopped on request."),
    "import_read": ngettext_lazy(
        "%(name)s: %(format)s, %(count)s row",
        "%(name)s: %(format)s, %(count)s rows",
        "count",
    ),
    "import_row_skipped": _("skipped row %(row)s: %(why)s"),
    "import_cell_damaged": _("row %(row)s: %(column)s has damaged characters"),
}

_FAILURES = {
    "cookie_missing": _("No cookie is set for this account: paste one in the settings."),
    "token_refused": _(
        "CodeBuddy did not accept the token, which has ended, or is of another region or user. Paste a new one on the "
        "page of archives."
    ),
    "token_unreadable": _("The stored token cannot be read under this instance's key: paste it again."),
    "cookie_unreadable": _("The stored cookie cannot be read under this instance's key: paste it again."),
    "cookie_refused": _(
        "CodeBuddy did not accept the cookie; sign in there in your browser and paste the cookie again, "
        "together with that browser's User-Agent and from the host that api_base names."
    ),
    "sign_in_asked": _(
        "CodeBuddy asks for a new sign-in: sign in there in your browser and paste the cookie again, "
        "together with that browser's User-Agent and from the host that api_base names."
    ),
    "user_agent_refused": _(
        "CodeBuddy refused the User-Agent, not the cookie; user_agent must be exactly that of the browser which "
        "signed in (code 10085)."
    ),
    "cookie_too_large": _(
        "The cookie is too large for CodeBuddy, which takes about 8 KB: paste it with the cookies session and "
        "session_2 and leave out the others, first of all those of analytics (such as _ga, _gid, Hm_lvt)."
    ),
    "address_unknown": _("CodeBuddy has no such address (HTTP %(status)s): check api_path and the host in api_base."),
    "address_moved": _("CodeBuddy's answer leads to %(host)s (HTTP %(status)s): check api_base and api_path."),
    "address_leads_nowhere": _("CodeBuddy's answer leads nowhere (HTTP %(status)s): check api_base and api_path."),
    "another_account": _(
        "The credential is of another account at %(service)s (%(other)s) than the calls of this archive (%(own)s). "
        "Nothing was stored: set one of the archive's account, or make another archive for this one."
    ),
    "account_of_call": _("that of the call %(id)s"),
    "account_of_credential": _("that of the credential"),
    "request_forbidden": _(
        "CodeBuddy forbids the request (HTTP 403): check user_agent, and that this machine is not blocked there."
    ),
    "parameters_refused": _("CodeBuddy calls the parameters of the request invalid (code 10001)."),
    "request_refused": _("CodeBuddy refused the request (HTTP %(status)s)."),
    "request_refused_with_code": _("CodeBuddy refused the request (HTTP %(status)s, code %(upstream_code)s)."),
    "request_refused_in_words": _("CodeBuddy refused the request (code %(upstream_code)s): %(answer)s"),
    "request_not_sendable": _("The request cannot be sent: check the address and the credential."),
    "certificate_not_trusted": _(
        "The certificate of %(host)s is not trusted: check that the address is right, or turn ssl_verify off if you "
        "know who answers there."
    ),
    "credential_missing": _("No credential is set for this archive: set one on the page of archives."),
    "credential_unreadable": _("The stored credential cannot be read under this instance's key: set it again."),
    "credential_refused": _("%(service)s does not accept the credential: set a new one on the page of archives."),
    "credential_without_right": _("%(service)s does not let this credential read the calls."),
    "source_without_database": _("%(service)s has no database at the moment, so it cannot give its calls."),
    "source_moved": _("%(service)s's answer leads to %(host)s (HTTP %(status)s): check the address of the archive."),
    "not_the_service": _("What answers at the address of the archive is not %(service)s, or of an unknown version."),
    "source_refused": _("%(service)s refused the request (HTTP %(status)s): %(answer)s"),
    "host_not_public": _("The host %(host)s is not public, and this archive may ask public hosts only."),
    "openrouter_management_key": _("OpenRouter lists calls for management keys only: set one of these."),
    "admin_key_needed": _("%(service)s shows bills to admin keys only: set one of these."),
    "bills_of_organisation": _("It shows the bills of the organisation at %(service)s."),
    "openrouter_account": _("It is a management key, and shows all calls of the account."),
    "openrouter_account_unknown": _("OpenRouter does not say whose calls it shows."),
    "calls_out_of_reach": _("%(service)s gives the calls of the last %(days)s days only."),
    "newapi_user": _("It belongs to the user %(user)s, and shows all calls of this user."),
    "newapi_quota_per_unit": _("The gateway counts %(count)s %(unit)s as one unit of its money."),
    "newapi_user_unknown": _("The gateway does not say whose calls it shows."),
    "litellm_log_truncated": _("The proxy says that it leaves out older calls of its log, so nothing of it is stored."),
    "litellm_key_of_user": _(
        "It belongs to the user %(user)s: it shows the calls of this user and of teams that the user administers, or"
        " all calls where the user is an administrator of the proxy."
    ),
    "litellm_key_alone": _("It belongs to no user, so it shows the calls of this key alone."),
    "litellm_key_unknown": _("The proxy does not say whose calls it shows."),
    "no_answer": _("%(service)s gave no usable answer (%(why)s): try again later."),
    "no_answer_in_tries": ngettext_lazy(
        "%(service)s gave no usable answer in %(tries)s try (%(why)s): try again later.",
        "%(service)s gave no usable answer in %(tries)s tries (%(why)s): try again later.",
        "tries",
    ),
    "answer_broken": _("%(service)s's answer is broken: %(why)s."),
    "answer_of_unknown_form": _("%(service)s's answer has an unknown form: %(why)s. The keys that came: %(keys)s."),
    "rows_without_id": _(
        "%(service)s's answer is broken: rows without requestId (%(count)s). The others are stored; the next run "
        "asks for these again. %(rest)s"
    ),
    "window_incomplete": _(
        "Asked twice for the calls from %(window)s, %(service)s counts %(total)s, but gave %(count)s. What came is "
        "stored; the next run asks again."
    ),
    "windows_incomplete": _(
        "Asked twice, %(service)s gave fewer calls than it counts: %(windows)s. What came is stored; the next run "
        "asks again. %(rest)s"
    ),
    "days_incomplete": _(
        "Asked twice for the calls from %(window)s, %(service)s counts %(total)s, but gave %(count)s. Nothing can be "
        "said about these days: verify again later."
    ),
    "days_without_end": _("%(service)s's pages from %(window)s do not end; %(count)s were read. Verify again later."),
    "days_without_id": _("%(service)s's answer is broken: rows without requestId (%(count)s). Verify again later."),
    "pages_without_end": _(
        "%(service)s's pages from %(window)s do not end; %(count)s were read and stored. If there are as many calls, "
        "ask for fewer days at once."
    ),
    "failed_in_part": _("%(why)s What came is stored: %(rest)s"),
    "leftover_unreadable": _(
        "What an earlier run left from %(window)s could not be read, and is not asked for again without dates: "
        "%(why)s Everything newer is stored: %(rest)s"
    ),
}

_REASONS = {
    "row_too_large": _("a single row is too large to be read"),
    "answer_not_object": _("it is not a JSON object"),
    "daily_sums_unreadable": _("its daily sums cannot be read"),
    "daily_sums_without_end": _("its daily sums do not end"),
    "generation_not_given": _("the service does not give it"),
    "code_missing": _("it has no code"),
    "data_not_object": _("its data is not an object"),
    "rows_not_list": _("its rows are not a list"),
    "rows_too_many": _("it holds more than %(count)s rows"),
    "rows_moved": _("its rows moved each time while they were read"),
    "total_not_count": _("its total is not a count"),
    "no_row_with_id": _("none of its rows has a requestId"),
    "no_row_readable": _("none of its rows can be read"),
    "not_decompressed": _("it cannot be decompressed"),
    "headers_too_long": _("its headers are too long"),
    "redirect_unreadable": _("HTTP %(status)s leads to no readable address"),
    "answer_too_slow": _("no whole answer within %(seconds)s s"),
    "connection_failed": _("the connection to %(host)s failed or broke off"),
    "no_rows_came": _("no rows came"),
    "rows_missing": ngettext_lazy("%(count)s of %(total)s row came", "%(count)s of %(total)s rows came", "total"),
    "rows_repeated": ngettext_lazy(
        "%(count)s row has the request id of another one",
        "%(count)s rows have the request id of another one",
        "count",
    ),
    "rows_outside": ngettext_lazy(
        "%(count)s of %(total)s rows lies outside of it",
        "%(count)s of %(total)s rows lie outside of it",
        "count",
    ),
    "rows_unreadable": ngettext_lazy(
        "%(count)s of %(total)s row could not be read",
        "%(count)s of %(total)s rows could not be read",
        "total",
    ),
}

_LINES = {
    "window": _("%(first)s to %(last)s"),
    "page_read": ngettext_lazy(
        "%(window)s: page %(number)s, %(count)s row of %(total)s, %(added)s new",
        "%(window)s: page %(number)s, %(count)s rows of %(total)s, %(added)s new",
        "count",
    ),
    "page_read_again": ngettext_lazy(
        "%(window)s: again page %(number)s, %(count)s row of %(total)s, %(added)s new",
        "%(window)s: again page %(number)s, %(count)s rows of %(total)s, %(added)s new",
        "count",
    ),
    "page_compared": ngettext_lazy(
        "%(window)s: page %(number)s, %(count)s row of %(total)s compared",
        "%(window)s: page %(number)s, %(count)s rows of %(total)s compared",
        "count",
    ),
    "page_in_parts": _("page %(number)s is too large, asked again as %(count)s pages of %(total)s"),
    "row_skipped": _("skipped row %(row)s of page %(number)s: %(why)s"),
    "waiting": _("%(why)s, waiting %(seconds)s s, try %(number)s of %(tries)s"),
    "window_differs": ngettext_lazy(
        "%(window)s: %(service)s counts %(total)s call, %(count)s came",
        "%(window)s: %(service)s counts %(total)s calls, %(count)s came",
        "total",
    ),
    "window_repeats": ngettext_lazy(
        "%(window)s: calls came several times, %(count)s different one of %(total)s",
        "%(window)s: calls came several times, %(count)s different ones of %(total)s",
        "count",
    ),
    "window_exceeded": ngettext_lazy(
        "%(window)s: %(outside)s of %(count)s calls that came lies outside of it",
        "%(window)s: %(outside)s of %(count)s calls that came lie outside of it",
        "outside",
    ),
    "window_unclear": ngettext_lazy(
        "%(window)s: %(count)s row could not be read, of an unknown day",
        "%(window)s: %(count)s rows could not be read, of unknown days",
        "count",
    ),
    "window_without_count": ngettext_lazy(
        "%(window)s: %(count)s call came, without %(service)s's count",
        "%(window)s: %(count)s calls came, without %(service)s's count",
        "count",
    ),
    "window_again": _("%(window)s: %(why)s, asked once more"),
    "window_left": _("%(window)s: left to be read again"),
    "window_capped": _("%(window)s: capped at %(total)s, asked again in halves"),
    "minute_capped": _("%(window)s: %(total)s rows in a minute may be capped, and cannot be asked for in halves"),
    "day_incomplete": ngettext_lazy(
        "%(window)s: %(count)s record here, %(total)s at %(service)s, read again",
        "%(window)s: %(count)s records here, %(total)s at %(service)s, read again",
        "count",
    ),
    "day_read_again": _("%(window)s: read again to see whether anything changed"),
    "lines_left_out": _("… more lines were left out"),
}

_AUDIT = {
    "account_exported": _("the whole account"),
    "run_ended": _("run %(run)s (%(trigger)s): %(end)s"),
    "no_prompt_missing": _("No prompt of the last month is missing."),
    "prompts_filled": ngettext_lazy(
        "%(filled)s prompt filled, of %(missing)s that were missing or cut.",
        "%(filled)s prompts filled, of %(missing)s that were missing or cut.",
        "filled",
    ),
    "prompts_filled_others_met": ngettext_lazy(
        "%(filled)s prompt filled, of %(missing)s that were missing or cut. %(service)s also has calls that are not "
        "here, or differ from those here; the next collection reads them.",
        "%(filled)s prompts filled, of %(missing)s that were missing or cut. %(service)s also has calls that are not "
        "here, or differ from those here; the next collection reads them.",
        "filled",
    ),
    "csv_exported": _("Exported to %(name)s."),
    "database_cleans_up": _("This database needs no compacting."),
    "store_compacted": _("The store is compacted: %(freed)s MiB were freed."),
    "recounted": ngettext_lazy("%(records)s record.", "%(records)s records.", "records"),
    "recount_mended": ngettext_lazy(
        "%(records)s records; %(mended)s sum was wrong and is repaired.",
        "%(records)s records; %(mended)s sums were wrong and are repaired.",
        "mended",
    ),
}

TEMPLATES = {**_ENDS, **_IMPORTS, **_FAILURES, **_REASONS, **_LINES, **_AUDIT}

# `run_ended` has the trigger as a code.
WORDS = {
    ("run_ended", "trigger"): {
        "manual": pgettext_lazy("trigger of a run", "manual"),
        "schedule": pgettext_lazy("trigger of a run", "schedule"),
        "startup": pgettext_lazy("trigger of a run", "startup"),
        "cli": pgettext_lazy("trigger of a run", "cli"),
        "imported": pgettext_lazy("trigger of a run", "imported"),
    }
}
