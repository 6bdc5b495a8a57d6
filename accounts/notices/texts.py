"""Templates of notices, and of their audit details, by code. No text has a prompt, an address or a secret."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy, pgettext_lazy

_AUDIT = {
    "notice_sent": _("notice sent: %(event)s"),
    "notices_changed": _("notices: %(keys)s"),
}
_BEGINS = {
    "notice_test": _("This is a test for the account %(name)s. Notices reach you here."),
    "notice_cookie_ends": _(
        "The cookie ends on %(end)s. Paste a new one before then, so that no collection is missed."
    ),
    "notice_cookie_may_end": ngettext_lazy(
        "Cookies of this account lasted %(days)s day at least, and this one is as old. It may end soon.",
        "Cookies of this account lasted %(days)s days at least, and this one is as old. It may end soon.",
        "days",
    ),
    "notice_of_archive": _("%(label)s: %(text)s"),
    "notice_token_ends": _("The token of the device login ends on %(end)s."),
    "notice_cookie_refused": _("CodeBuddy refuses the cookie. Nothing is collected until a new one is pasted."),
    "notice_cookie_broken": _(
        "The cookie cannot be read with the instance's present key. Nothing is collected until it is pasted again."
    ),
    "notice_cookie_refused_beside_token": _("CodeBuddy refuses the cookie. Calls are collected with the token."),
    "notice_token_refused": _("CodeBuddy refuses the token. Nothing is collected until a new one is pasted."),
    "notice_token_broken": _(
        "The token cannot be read with the instance's present key. Nothing is collected until it is pasted again."
    ),
    "notice_credential_refused": _("%(service)s refuses the credential. Nothing is collected until a new one is set."),
    "notice_credential_broken": _(
        "The credential cannot be read with the instance's present key. Nothing is collected until it is set again."
    ),
    "notice_collection_failed": _("The last three collections failed. The newest one, at %(when)s: %(reason)s"),
    "notice_days_short": ngettext_lazy(
        "%(count)s day lacks calls, and %(service)s may soon not give them any more: %(first)s, until about %(until)s.",
        "%(count)s days lack calls, and %(service)s may soon not give them any more: the first is %(first)s, until "
        "about %(until)s.",
        "count",
    ),
    "notice_budget_day": _("%(percent)s %% of the %(budget)s %(unit)s of the day are spent: %(spent)s."),
    "notice_budget_week": _("%(percent)s %% of the %(budget)s %(unit)s of the week are spent: %(spent)s."),
    "notice_budget_month": _("%(percent)s %% of the %(budget)s %(unit)s of the month are spent: %(spent)s."),
    "notice_budget_of": _("%(text)s The budget is for %(names)s."),
    "notice_runs_out": _("%(text)s At this pace it is used up at %(when)s."),
    "notice_spike_day": _(
        "%(spent)s %(unit)s were spent on %(day)s so far, %(usual)s on a usual day. Most of them by %(model)s; the"
        " dearest call cost %(dearest)s %(unit)s, at %(when)s."
    ),
    "notice_spike_hour": _(
        "%(spent)s %(unit)s were spent on %(day)s from %(hour)s:00 on in one hour, %(usual)s in a usual hour. Most of"
        " the day's by %(model)s; the dearest call cost %(dearest)s %(unit)s, at %(when)s."
    ),
    # The call of it was erased.
    "notice_spike_day_of_models": _(
        "%(spent)s %(unit)s were spent on %(day)s so far, %(usual)s on a usual day. Most of them by %(model)s."
    ),
    "notice_spike_hour_of_models": _(
        "%(spent)s %(unit)s were spent on %(day)s from %(hour)s:00 on in one hour, %(usual)s in a usual hour. Most of"
        " the day's by %(model)s."
    ),
    "notice_credits_expire": _(
        "At your pace %(amount)s %(unit)s of the package %(name)s will be unused when it ends, at %(end)s."
    ),
    "notice_credits_expire_several": _(
        "At your pace %(amount)s %(unit)s of %(count)s packages will be unused when they end, on %(day)s."
    ),
    "notice_credits_end": _("At your pace all %(unit)s are used up at %(until)s."),
    "notice_credits_end_before": _(
        "At your pace all %(unit)s are used up at %(until)s, before the next grant at %(grant)s."
    ),
    "notice_credits_used_up": _("No %(unit)s are left."),
    "notice_credits_used_up_until": _("No %(unit)s are left until the next grant at %(grant)s."),
    "notice_summary": _(
        "%(first)s to %(last)s: %(spent)s %(unit)s. Calls: %(calls)s.%(more)s\nBy model: %(models)s.\nDearest calls:"
        " %(dearest)s.\nThe whole page: %(path)s"
    ),
    "notice_summary_of_models": _(
        "%(first)s to %(last)s: %(spent)s %(unit)s. Calls: %(calls)s.%(more)s\nBy model: %(models)s.\nThe whole page:"
        " %(path)s"
    ),
    "notice_summary_none": _("%(first)s to %(last)s: no calls.%(more)s\nThe whole page: %(path)s"),
    "notice_summary_not_archived": _("%(first)s to %(last)s: not archived.%(more)s\nThe whole page: %(path)s"),
    "notice_summary_before": _(" The period before: %(before)s %(unit)s (%(change)s).%(more)s"),
    # Of earlier versions.
    "notice_summary_change": _(" The period before: %(before)s %(unit)s (%(change)s %%).%(more)s"),
    "notice_summary_too_early": _(" The period before: not enough earlier data.%(more)s"),
    "notice_summary_gaps_before": _(" Days of it that are not archived: %(count)s.%(more)s"),
    "notice_summary_gaps": _(" Days that are not archived: %(count)s.%(more)s"),
    "notice_summary_missing": _(" Days that lack calls: %(count)s.%(more)s"),
    "notice_summary_erased": _(" Calls before %(day)s were erased; their sums stay.%(more)s"),
    "notice_summary_forecast": _(" This month will come to %(low)s to %(high)s %(unit)s."),
    "notice_summary_model": _("%(name)s %(spent)s"),
    "notice_summary_call": _("%(spent)s (%(model)s, %(when)s)"),
    "notice_summary_call_prompt": _("%(spent)s (%(model)s, %(when)s: %(prompt)s)"),
    "notice_second_factor_changed": _("The second factor of your account was changed: %(what)s."),
    "notice_identity_changed": _("The sign-in elsewhere of your account was changed: %(what)s."),
    "notice_second_factor_reset": _(
        "An administrator has removed the second factor of your account. It signs in with its password alone."
    ),
    "notice_backup_failed": _("The automatic backup failed at %(when)s. The audit log says why."),
    "notice_disk_low": _("Only %(free)s are free where the archive's data is."),
    "notice_disk_low_of": _("Only %(free)s are free where the data of the node %(node)s is."),
    "notice_scheduler_silent": _("Nothing was collected from %(first)s to %(last)s: the workers did not work."),
    "notice_node_silent": _("The workers of the node %(node)s do not work."),
    "notice_version_newer": _(
        "The store has not the tables of this version: a part of the instance was upgraded, and another was not."
    ),
}
_ENDS = {
    "notice_over_cookie_ends": _("The cookie was replaced or removed."),
    "notice_over_cookie_refused": _("The cookie was replaced or removed."),
    "notice_over_credential_refused": _("The credential was replaced or removed."),
    "notice_over_collection_failed": _("A collection went well again."),
    "notice_over_days_short": _("No more days are about to be lost: they are complete, or can no longer be read."),
    "notice_over_budget": _("The period of the budget is over, or the budget was changed."),
    "notice_over_spike": _("The day is over."),
    "notice_over_credits_expire": _("The package has ended, or will be used up."),
    "notice_over_credits_end": _("Credits were granted, or last longer."),
    "notice_over_backup_failed": _("An automatic backup was made again."),
    "notice_over_disk_low": _("There is room on the disk again."),
    "notice_over_scheduler_silent": _("The workers work again."),
    "notice_over_version_newer": _("The store has the tables of this version again."),
}
_TITLES = {
    "notice_told": _("Told on %(when)s: %(text)s"),
    "notice_title": _("Usage Archive: %(title)s"),
    "notice_title_over": _("Usage Archive: over: %(title)s"),
}
TEMPLATES = {**_AUDIT, **_BEGINS, **_ENDS, **_TITLES}

# What was changed of the notices, by the keys of `POST /api/notices`.
CHANGES = {
    "addresses": pgettext_lazy("what was changed", "all addresses"),
    "add": pgettext_lazy("what was changed", "address added"),
    "remove": pgettext_lazy("what was changed", "address removed"),
    "rename": pgettext_lazy("what was changed", "address renamed"),
    "events": pgettext_lazy("what was changed", "events"),
    "quiet_from": pgettext_lazy("what was changed", "begin of the quiet hours"),
    "quiet_to": pgettext_lazy("what was changed", "end of the quiet hours"),
    "summaries": pgettext_lazy("what was changed", "summaries"),
    "summary_prompts": pgettext_lazy("what was changed", "prompts in summaries"),
}
