"""The texts of the ingest, of imports and of exports in runs and audit entries, by code."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy, pgettext_lazy

TEMPLATES = {
    "estimated_unit": _("%(unit)s (estimated)"),
    "account_full": _(
        "The account is full: it stores %(used)s MB of the %(most)s MB that it may, and the next calls do not fit. "
        "An administrator can raise the limit (max_account_megabytes)."
    ),
    "sums_full": _("The sum of all amounts would be larger than the archive can store in %(unit)s."),
    "history_full": _(
        "The texts of imported runs may take %(most)s MB, as much as the account may store: they take %(used)s MB, and "
        "the rest of this file's history does not fit. An administrator can raise the limit (max_account_megabytes)."
    ),
    "privacy_chosen": _("prompts: %(mode)s, beginnings of %(length)s characters"),
    "privacy_applied": _("applied to what is stored"),
    "retention_chosen": _("prompts: %(prompts)s; calls: %(calls)s"),
    "retention_for_ever": pgettext_lazy("how long something is kept", "for ever"),
    "retention_days": ngettext_lazy("%(count)s day", "%(count)s days", "count"),
    # Lines of a run.
    "conflict": _("conflict %(request)s: %(differences)s"),
    "credits_were": _("credits were %(credits)s"),
    "amount_was": _("the amount was %(amount)s %(unit)s"),
    "provenance_was": _("the amount was %(provenance)s"),
    "tokens_were": _(
        "tokens were %(input)s in, %(output)s out, %(cache_read)s from the cache and %(cache_write)s into it"
    ),
    "no_tokens": _("tokens were not known"),
    "instant_was": _("the instant was %(instant)s"),
    "no_instant": _("the instant was not known"),
    "status_was": _("the call was %(status)s"),
    "value_was": _("%(name)s was %(value)s"),
    # Why a row cannot be read.
    "row_not_object": _("it is not an object"),
    "request_id_missing": _("requestId is missing"),
    "request_id_placeholder": _("the value is no request id"),
    "request_id_not_text": _("requestId is not a text"),
    "request_id_too_long": _("requestId is longer than %(most)s characters"),
    "credit_not_number": _("credit is not a finite number"),
    "credit_empty": _("credit is empty"),
    # Of earlier versions, whose bound it was.
    "credit_too_large": _("credit is above 1e9 in size"),
    "credit_above_million": _("credit is above 1e6 in size"),
    "amount_too_large": _("the amount is above %(most)s %(unit)s in size"),
    "measures_unreadable": _("its measures cannot be read"),
    "tokens_not_count": _("tokens are not a whole number"),
    "sum_of_other_unit": _("it counts in another unit"),
    "sum_without_model": _("it names no model: export the usage by model"),
    "time_unreadable": _("requestTime cannot be read"),
    "time_empty": _("requestTime is empty"),
    "row_not_csv": _("its quotes are wrong, or a field is too long"),
    "row_not_json": _("it is not valid JSON"),
    "row_too_deep": _("it is nested too deep"),
    "row_with_many_values": _("it holds more than %(most)s values"),
    "row_too_long": pgettext_lazy("more cells than columns", "it has %(count)s of %(wanted)s columns"),
    "row_is_total": _("it is a total, not a call"),
    "request_id_rounded": _("a spreadsheet has rounded the request id"),
    "request_id_damaged": _("the request id has a character that cannot be read"),
    "time_rounded": _("a spreadsheet has rounded the time"),
    "time_is_serial": _("it is a day number of a spreadsheet, which is read in a CSV column of them only"),
    "import_cell": _("%(column)s '%(value)s': %(why)s"),
    "import_both_writings": _(
        "Its column %(column)s has numbers in two writings: '%(point)s' in row %(point_row)s (as in 1,234.5) and "
        "'%(comma)s' in row %(comma_row)s (as in 1.234,5). Write all of them in one way."
    ),
    # Two rows of a file with one request id.
    "credits_are": _("credits %(credits)s"),
    "value_is": _("%(name)s %(value)s"),
    "prompt_is": ngettext_lazy(
        "another prompt of %(count)s character",
        "another prompt of %(count)s characters",
        "count",
    ),
    "import_row_has": _("row %(row)s has %(values)s"),
    "import_row_wins": _("row %(row)s wins"),
    "row_too_short": _("it has %(count)s of %(wanted)s columns"),
    "row_may_be_cut": _("%(why)s; the file may end in the middle of this row"),
    "row_with_nul": _("it holds a NUL character"),
    "row_lacks_fields": _("it lacks the request id, the credits or the time"),
    "line_too_long": _("it is longer than %(most)s characters"),
    # The change of a sum, in the words of the overview.
    "change_none": _("unchanged"),
    "change_more": _("▲ %(amount)s more"),
    "change_less": _("▼ %(amount)s less"),
    "change_unknown": _("no comparison"),
    "change_too_early": _("not enough earlier data"),
    "change_not_archived": _("not archived"),
    # The audit of an export.
    "records_exported": _("%(first)s to %(last)s, %(order)s"),
    "records_exported_by": _("%(first)s to %(last)s, %(order)s, %(filters)s"),
    "export_from_start": _("the first day"),
    "export_to_end": _("the last"),
    "export_filter": _("by %(name)s"),
}

_FILTERS = {
    "model": pgettext_lazy("parameter of a message", "model"),
    "client": pgettext_lazy("parameter of a message", "client"),
    "purpose": pgettext_lazy("parameter of a message", "purpose"),
    "q": pgettext_lazy("parameter of a message", "text"),
    "free": pgettext_lazy("parameter of a message", "free or billed"),
    "with_prompt": pgettext_lazy("parameter of a message", "prompt"),
    "credits_above": pgettext_lazy("parameter of a message", "credits"),
    "tokens_above": pgettext_lazy("parameter of a message", "tokens"),
    "hour": pgettext_lazy("parameter of a message", "hour"),
}
_ORDERS = {
    "ts_desc": pgettext_lazy("parameter of a message", "newest first"),
    "ts_asc": pgettext_lazy("parameter of a message", "oldest first"),
    "credits_desc": pgettext_lazy("parameter of a message", "most credits first"),
    "credits_asc": pgettext_lazy("parameter of a message", "fewest credits first"),
    "model_asc": pgettext_lazy("parameter of a message", "in the order of models"),
    "client_asc": pgettext_lazy("parameter of a message", "in the order of clients"),
}
_FIELDS = {
    "model": pgettext_lazy("parameter of a message", "model"),
    "client": pgettext_lazy("parameter of a message", "client"),
    "ts": pgettext_lazy("parameter of a message", "time"),
}

_PROVENANCES = {
    "billed": pgettext_lazy("the amount was …", "a billed one"),
    "included": pgettext_lazy("the amount was …", "covered by a plan"),
    "estimated": pgettext_lazy("the amount was …", "an estimate"),
    "unknown": pgettext_lazy("the amount was …", "not known"),
}

_STATUSES = {
    "ok": pgettext_lazy("the call was …", "answered"),
    "error": pgettext_lazy("the call was …", "a failure"),
    "refused": pgettext_lazy("the call was …", "refused"),
    "cancelled": pgettext_lazy("the call was …", "cancelled"),
    "unfinished": pgettext_lazy("the call was …", "not finished"),
    "refund": pgettext_lazy("the call was …", "a refund"),
}

WORDS = {
    ("provenance_was", "provenance"): _PROVENANCES,
    ("status_was", "status"): _STATUSES,
    ("value_was", "name"): _FIELDS,
    ("records_exported", "order"): _ORDERS,
    ("records_exported_by", "order"): _ORDERS,
    ("export_filter", "name"): _FILTERS,
}
