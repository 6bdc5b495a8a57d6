"""Reading the file of a whole account: its runs and settings beside its records (docs/api.md#import)."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy

from accounts import user_changes
from accounts.config import KEYS
from accounts.models import User
from accounts.user_changes import Actor
from archive_site.lib.i18n import filled
from archive_site.lib.stored_message import Message
from collection.account_file import (
    COUNTS,
    FORMAT,
    KEPT_BACK,
    MANIFEST,
    MEMBERS,
    PROFILE,
    RECORDS,
    RUNS,
    SETTINGS,
    TIMES,
    VERSION,
    VIEW,
)
from collection.models import Run
from collection.run_outcomes import INTERRUPTED
from collection.runs import DETAIL_LIMIT
from usage import incoming_values, saved_views
from usage.importing import file_source, json_rows, zip_members
from usage.importing.file_format import zone_named
from usage.importing.file_source import Source
from usage.importing.json_rows import Row
from usage.importing.unreadable_file import UnreadableFile

_MOST_MANIFEST, _MOST_SETTINGS = 64 * 1024, 1024 * 1024
_MOST_MESSAGE = 16 * 1024
_RUNS_AT_ONCE = 100
_MOST_COUNT, _MOST_DURATION, _MOST_CODE = 2**31 - 1, 2**62, 99
_YEARS = range(1970, 2100)
_ENDED = {Run.Status.OK, Run.Status.FAILED, Run.Status.INTERRUPTED}


@dataclass(frozen=True)
class Account:
    """The file of an account: its records, the zone of their times, and the other members."""

    records: Source
    zone: ZoneInfo | None
    runs: Source
    settings: Mapping[str, Any]
    views: list[dict[str, str]]

    def history(self, user_id: int) -> "History":
        return History(self.runs, user_id)

    def take_profile(self, user: User, actor: Actor) -> None:
        """Take over the language, the theme and the name shown, unless this version refuses one of them."""
        profile = self.settings["profile"]
        changes = {name: profile[name] for name in PROFILE if profile.get(name, "") not in ("", getattr(user, name))}
        if changes:
            with suppress(ValidationError):
                user_changes.change_profile(user, changes, actor)

    def take_views(self, user_id: int) -> None:
        """Add the saved views whose names are free."""
        saved_views.take_over(user_id, self.views)


def account_of(source: Source) -> Account:
    """The parts of the file, with every hash checked. Raises UnreadableFile."""
    members = zip_members.members_of(source, MEMBERS)
    manifest = _document(members[MANIFEST], _MOST_MANIFEST)
    if manifest.get("format") != FORMAT:
        raise UnreadableFile(zip_members.NOT_OURS)
    if manifest.get("version") != str(VERSION):
        raise UnreadableFile(gettext_lazy("It was written by a newer version of this service."))
    listed, zone = manifest.get("members"), manifest.get("zone")
    for name in (RECORDS, RUNS, SETTINGS):
        about = listed.get(name) if isinstance(listed, dict) else None
        if not isinstance(about, dict) or about.get("sha256") != zip_members.hash_of(members[name]):
            words = gettext_lazy("%(name)s is damaged: its hash does not match the manifest.")
            raise UnreadableFile(filled(words, name=name))
    settings = _document(members[SETTINGS], _MOST_SETTINGS)
    shown = {
        "settings": _texts(settings.get("settings"), KEYS.keys() - KEPT_BACK),
        "profile": _texts(settings.get("profile"), PROFILE),
    }
    views = settings.get("views")
    named = [_texts(view, VIEW) for view in views[: saved_views.MOST_VIEWS]] if isinstance(views, list) else []
    return Account(members[RECORDS], zone_named(zone if isinstance(zone, str) else ""), members[RUNS], shown, named)


class History:
    """The runs of a file against those of an account. A run is the same if its kind and beginning are."""

    def __init__(self, runs: Source, user_id: int):
        self._runs = runs
        self.user_id = user_id
        self.new = self.known = self.unreadable = 0

    def compare(self) -> None:
        """Count the runs; stores nothing."""
        for _ in self._new_runs():
            pass

    def store(self) -> None:
        """Add the runs that are not here, in the caller's transaction."""
        waiting: list[Run] = []
        for run in self._new_runs():
            waiting.append(run)
            if len(waiting) == _RUNS_AT_ONCE:
                Run.objects.bulk_create(waiting)
                waiting = []
        Run.objects.bulk_create(waiting)

    def payload(self) -> dict[str, int]:
        return {"new": self.new, "known": self.known, "unreadable": self.unreadable}

    def _new_runs(self) -> Iterator[Run]:
        here = set(Run.objects.filter(user_id=self.user_id).values_list("kind", "created_at"))
        for _, values in _lines_of(self._runs):
            run = None if isinstance(values, Message) else _run_of(values, self.user_id)
            if run is None:
                self.unreadable += 1
            elif (run.kind, run.created_at) in here:
                self.known += 1
            else:
                here.add((run.kind, run.created_at))
                self.new += 1
                yield run


def _lines_of(member: Source) -> Iterator[Row]:
    with closing(file_source.text_of(member, "utf-8")) as text:
        try:
            yield from json_rows.rows_of_lines(text)
        except UnicodeError:
            raise UnreadableFile(filled(gettext_lazy("%(name)s is not UTF-8."), name=member.name)) from None


def _run_of(values: Mapping[str, Any], user_id: int) -> Run | None:
    """The run of a line; None where its beginning, kind or status cannot be read. It is never one that still works."""
    times = {name: _moment(values.get(name)) for name in TIMES}
    kind, status = values.get("kind"), values.get("status")
    if times["created_at"] is None or kind not in Run.Kind.values or status not in Run.Status.values:
        return None
    run = Run(
        user_id=user_id,
        kind=kind,
        trigger=Run.Trigger.IMPORTED,
        is_ranged=values.get("is_ranged") is True,
        status=status,
        **times,
        duration_ms=_number(values.get("duration_ms"), _MOST_DURATION),
        **{name: _number(values.get(name), _MOST_COUNT) or 0 for name in COUNTS},
        exit_code=_number(values.get("exit_code"), _MOST_CODE),
        stored_message=_text(values.get("message"), _MOST_MESSAGE),
        stored_detail=_text(values.get("detail"), DETAIL_LIMIT),
    )
    if status not in _ENDED:
        run.status, run.exit_code = INTERRUPTED.status, INTERRUPTED.exit_code
        run.finished_at, run.stored_message = run.created_at, Message("broken_off").stored()
    return run


def _document(member: Source, most: int) -> dict[str, Any]:
    value = json_rows.object_in(zip_members.text_of(member, most))
    if value is None:
        raise UnreadableFile(filled(gettext_lazy("%(name)s is not a JSON object."), name=member.name))
    return value


def _texts(value: object, names: Collection[str]) -> dict[str, str]:
    """The texts under these names; anything else is left out."""
    given = value if isinstance(value, dict) else {}
    return {name: text for name, text in given.items() if name in names and isinstance(text, str)}


def _moment(value: object) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment if moment and moment.tzinfo and moment.year in _YEARS else None


def _number(value: object, most: int) -> int | None:
    # The reader of JSON leaves numbers as texts.
    if not isinstance(value, str) or not (value.isascii() and value.isdigit()) or len(value) > len(str(most)):
        return None
    return min(int(value), most)


def _text(value: object, most: int) -> str:
    return incoming_values.text(value)[:most]
