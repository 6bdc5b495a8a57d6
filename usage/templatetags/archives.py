"""What pages of apps below this one show of the archives: they know of accounts, and nothing of records."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.template.context import Context

from usage import queries
from usage.export import kept_files as export_files

register = template.Library()


@register.simple_tag
def records_by_account() -> dict[int, int]:
    """How many records each account has, by its id."""
    return queries.records_by_account()


@register.filter
def of_account(counts: Mapping[int, int], user_id: int) -> str:
    """An account's own number, its thousands apart as the scripts write them; none is 0."""
    return f"{counts.get(user_id, 0):,}"


@register.inclusion_tag("kept_exports.html", takes_context=True)
def kept_exports(context: Context) -> dict[str, Any]:
    """The CSV files that the signed-in account has on the server."""
    return {"exports": export_files.newest_first(context["user"].pk)}
