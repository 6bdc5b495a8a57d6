"""Saved views: filters of the records page under a name, for one account (docs/api.md#saved-views)."""

from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import parse_qsl, urlencode

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext

from archive_site.lib.normal_form import normal_form
from archive_site.lib.storage.deletion import delete_in_parts
from archive_site.lib.storage.transaction_locks import take_lock
from usage.api_types import View
from usage.models import SavedView

MOST_VIEWS = 50
NAME_LENGTH = 60
QUERY_LENGTH = 10_000
# What an address of the records page holds, but for the page of the list and the open record.
PARAMETERS = frozenset(
    {
        "period", "from", "to", "model", "client", "purpose", "no_model", "no_client", "no_purpose",
        "q", "free", "with_prompt", "credits_above", "tokens_above", "hour", "order", "size",
    }
)  # fmt: skip


def views_of(user_id: int) -> list[SavedView]:
    """The views of an account by name."""
    return sorted(SavedView.objects.filter(user_id=user_id), key=lambda view: (view.name.casefold(), view.pk))


def create(user_id: int, name: str, query: str) -> SavedView:
    """Store a view. Raises ValidationError."""
    name, query = _name(name), _query(query)
    with transaction.atomic():
        take_lock(_turn(user_id))
        kept = SavedView.objects.filter(user_id=user_id)
        _require_unused(kept.filter(name=name).exists(), name)
        if kept.count() >= MOST_VIEWS:
            raise ValidationError(gettext("An account can have at most %(most)s views.") % {"most": MOST_VIEWS})
        return SavedView.objects.create(user_id=user_id, name=name, query=query)


def change(user_id: int, view_id: int, *, name: str | None, query: str | None) -> SavedView | None:
    """Give a view another name or other filters; None where the account has no such view. Raises ValidationError."""
    with transaction.atomic():
        take_lock(_turn(user_id))
        view = SavedView.objects.filter(user_id=user_id, pk=view_id).first()
        if view is None:
            return None
        if name is None and query is None:
            raise ValidationError(gettext("There is nothing to change."))
        if name is not None:
            view.name = _name(name)
            others = SavedView.objects.filter(user_id=user_id, name=view.name).exclude(pk=view_id)
            _require_unused(others.exists(), view.name)
        if query is not None:
            view.query = _query(query)
        view.save()
    return view


def delete(user_id: int, view_id: int) -> SavedView | None:
    """Delete a view and return it; None where the account has no such view."""
    with transaction.atomic():
        take_lock(_turn(user_id))
        view = SavedView.objects.filter(user_id=user_id, pk=view_id).first()
        if view:
            SavedView.objects.filter(pk=view.pk).delete()
    return view


def take_over(user_id: int, views: Iterable[Mapping[str, str]]) -> int:
    """Add the views whose names are free, as far as there is room; return how many were added."""
    added = 0
    for view in views:
        try:
            create(user_id, view.get("name", ""), view.get("query", ""))
            added += 1
        except ValidationError:
            # The name is taken, the account has enough views, or another version wrote it.
            continue
    return added


def erase(user_id: int) -> Iterator[int]:
    """Delete the views of a deleted account, part by part."""
    return delete_in_parts(SavedView.objects.filter(user_id=user_id))


def payload(view: SavedView) -> View:
    return View(view.pk, view.name, view.query)


def _name(text: str) -> str:
    name = " ".join(normal_form("NFC", text).split())
    if not name or len(name) > NAME_LENGTH:
        raise ValidationError(gettext("A view needs a name of at most %(most)s characters.") % {"most": NAME_LENGTH})
    if not name.isprintable():
        raise ValidationError(gettext("The name of a view cannot have control characters."))
    return name


def _query(text: str) -> str:
    """The parameters as an address has them. Raises ValidationError for others than those of the records page."""
    try:
        text = text.removeprefix("?")
        # Without `strict_parsing` a text that is no query would be a view of everything.
        given = parse_qsl(text, strict_parsing=bool(text), max_num_fields=1000, errors="strict")
        query = urlencode(given)
    except ValueError:
        raise ValidationError(gettext("The filters of a view are the parameters of an address.")) from None
    unknown = sorted({name for name, _ in given} - PARAMETERS)
    if unknown:
        raise ValidationError(gettext("A view cannot hold '%(name)s'.") % {"name": unknown[0][:NAME_LENGTH]})
    if len(query) > QUERY_LENGTH:
        raise ValidationError(gettext("The filters of a view are too long."))
    return query


def _require_unused(is_used: bool, name: str) -> None:
    if is_used:
        raise ValidationError(gettext("There is a view “%(name)s” already.") % {"name": name})


def _turn(user_id: int) -> str:
    """Views are counted, and their names compared, before one is stored."""
    return f"views {user_id}"
