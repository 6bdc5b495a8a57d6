"""Storing a map of settings: valid keys are stored even if others fail (docs/api.md#settings)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db import transaction

from accounts import archives, notice_checks, setting_rows, slot_marks
from accounts.config.declarations import KEYS
from accounts.config.values import instance_values
from accounts.credentials import credential
from accounts.credentials.credential_forms import form_of
from accounts.models import INSTANCE, Setting
from accounts.slot_marks import SLOT_PREFIX
from archive_site.lib.http.parameter_parsing import as_text
from archive_site.lib.stored_message import Message
from audit.known_secrets import masked

CLEAR_COOKIE = frozenset({"__clear__", "-"})
_NAME_SHOWN = 64
_UNKNOWN_SHOWN = 10
_TIMES, _SLOTS = "schedule_times", "max_schedule_slots_per_day"


@dataclass(frozen=True)
class SettingsWritten:
    """The result of storing a map of settings: keys written, keys ignored, and a sentence for each failure.

    `warnings` are sentences about what was stored.
    """

    changed: list[str]
    ignored: list[str]
    errors: list[Message]
    warnings: list[str]


@dataclass
class _Draft:
    """Normal forms to be stored, by key; an empty one resets the key to its default."""

    values: dict[str, str] = field(default_factory=dict)
    errors: list[Message] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def add(self, name: str, text: str) -> None:
        try:
            self.values[name] = KEYS[name].normalise(text) if text.strip() else ""
        except ValueError as error:
            self.refuse(name, error.args[0])

    def refuse(self, name: str, reason: Message) -> None:
        """Add an error about a key: a sentence that begins with its name in every language."""
        self.errors.append(Message("setting_refused", name=name, reason=reason))


def write(body: Mapping[str, object], *, archive_id: int, may_edit_instance: bool) -> SettingsWritten:
    """Validate and store `body`, key to value, in one transaction; the caller writes the audit entry.

    Null counts as empty. Personal keys are stored for the archive, all others for the instance.
    """
    ignored = [_shown(name) for name in body if name.startswith(SLOT_PREFIX)]
    unknown = [name for name in body if name not in KEYS and not name.startswith(SLOT_PREFIX)]
    refused = sorted(name for name in body if name in KEYS and not _writable(name, may_edit_instance))
    draft = _Draft(errors=_unknown_errors(unknown) + _refused_errors(refused))
    texts = _texts({name: body[name] for name in KEYS if name in body and name not in refused}, draft)
    cookie = texts.pop("cookie", "").strip()
    for name, text in texts.items():
        draft.add(name, text)
    if cookie:
        _read_cookie(archive_id, cookie, draft, has_user_agent=bool(texts.get("user_agent", "").strip()))
    with transaction.atomic():
        _check_slots(draft)
        _store(draft.values, archive_id)
    return SettingsWritten(sorted(draft.values), sorted(ignored), draft.errors, draft.warnings)


def unknown_key(name: str) -> Message:
    """The error about an unknown key; its name is cut and made printable."""
    # Anything can be typed as a key, also a cookie.
    return Message("setting_unknown", name=masked(_shown(name)))


def _shown(name: str) -> str:
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name[:_NAME_SHOWN])


def _writable(name: str, may_edit_instance: bool) -> bool:
    return may_edit_instance or KEYS[name].scope == "personal"


def _unknown_errors(names: list[str]) -> list[Message]:
    errors = [unknown_key(name) for name in names[:_UNKNOWN_SHOWN]]
    more = len(names) - len(errors)
    return [*errors, Message("more_settings_unknown", count=more)] if more else errors


def _refused_errors(names: list[str]) -> list[Message]:
    return [Message("settings_for_administrators", names=names)] if names else []


def _texts(values: Mapping[str, object], draft: _Draft) -> dict[str, str]:
    texts = {}
    for name, value in values.items():
        if isinstance(value, dict | list):
            draft.refuse(name, Message("not_a_plain_value"))
        else:
            texts[name] = as_text(value)
    return texts


def _read_cookie(archive_id: int, text: str, draft: _Draft, *, has_user_agent: bool) -> None:
    """Add the cookie in a text to the draft; a User-Agent pasted with it counts if the body has none."""
    if text in CLEAR_COOKIE:
        draft.values["cookie"] = ""
        return
    result = _resulting_values(draft)
    try:
        pasted = form_of(archive_id).read(text, result["api_base"] + result["api_path"])
        draft.values["cookie"] = KEYS["cookie"].normalise(pasted.secret)
    except ValueError as error:
        draft.refuse("cookie", error.args[0])
        return
    draft.warnings += [*pasted.warnings, *form_of(archive_id).warnings(archive_id, draft.values["cookie"])]
    if pasted.user_agent and not has_user_agent:
        draft.add("user_agent", pasted.user_agent)


def _resulting_values(draft: _Draft) -> dict[str, str]:
    """The values of the instance as they will be once the draft is stored."""
    given = {name: value or KEYS[name].default for name, value in draft.values.items()}
    return {name: given.get(name, value) for name, value in instance_values().items()}


def _check_slots(draft: _Draft) -> None:
    """Refuse changes of times and their maximum if the resulting times would exceed the resulting maximum."""
    given = draft.values.keys() & {_TIMES, _SLOTS}
    if not given:
        return
    result = _resulting_values(draft)
    times, slots = len(result[_TIMES].split(",")), int(result[_SLOTS])
    if times > slots:
        for name in given:
            del draft.values[name]
        draft.refuse(_TIMES, Message("too_many_times", times=times, key=_SLOTS, slots=slots))


def _store(values: Mapping[str, str], archive_id: int) -> None:
    if "cookie" in values:
        _store_cookie(archive_id, values["cookie"])
    for name, value in values.items():
        if name != "cookie":
            _store_value(INSTANCE if KEYS[name].scope == "instance" else archive_id, name, value)
    if _TIMES in values or _SLOTS in values:
        slot_marks.keep_only(instance_values()[_TIMES].split(","))


def _store_cookie(archive_id: int, cookie: str) -> None:
    notice_checks.ask(archives.owner_of(archive_id))
    if cookie:
        credential.store(archive_id, cookie)
    else:
        credential.clear(archive_id, credential.KEY)


def _store_value(scope: int, name: str, value: str) -> None:
    """Store a value with the time of the change, unless it is stored already.

    An instance key that is reset to its default keeps an empty row: the scheduler needs the time of the change, since
    no slot from before it is due.
    """
    stored = Setting.objects.filter(user_id=scope, key=name)
    default = KEYS[name].default if scope == INSTANCE else ""
    # Storing the default where nothing is stored is no change.
    if (value or default) == (stored.values_list("value", flat=True).first() or default):
        return
    if value or scope == INSTANCE:
        setting_rows.store(scope, name, value)
    else:
        stored.delete()
