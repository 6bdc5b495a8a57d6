"""JSON views of the archives of an account (docs/api.md#archives)."""

from collections.abc import Collection, Mapping
from functools import partial
from typing import Annotated, Any, ClassVar

from django.db import transaction
from django.utils.translation import gettext
from msgspec import UNSET, Meta, UnsetType

from accounts import archive_changes, archives, config
from accounts.actor import actor_of
from accounts.api_types import REAUTHENTICATE
from accounts.archive_changes import WrongField
from accounts.credentials import credential
from accounts.models import Archive as StoredArchive
from accounts.signin.reauthentication import recent_password_required
from archive_site.account_deletion import delete_archive
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.answer_types import Answer, Count, Day, Done, Given, Items, about, one_of
from archive_site.lib.http.described import ACCOUNTS, Refusal, described
from archive_site.lib.http.json_views import body_of
from archive_site.lib.waiting_tasks import queue_once
from collection import credential_check, tasks
from collection.api_types import COOKIE_ERRORS, FailingCredential, FineCredential
from collection.schedule.scheduler import credential_is_refused
from collection.sources.addresses import normal_address
from collection.sources.keyed import private_allowed
from collection.sources.kinds import KINDS, Kind, Way
from usage import rates
from usage.data_version import raise_version
from usage.importing.service_files import forms
from usage.importing.service_files.forms import SERVICES, have_bills
from usage.proofs import day_proofs
from usage.rollups import read_sums
from usage.source_traits import traits_for

_STATES = {
    "ready": "its credential can be used, or it needs none",
    "no_credential": "none is stored",
    "broken": "the stored one cannot be decrypted",
    "refused": "the source refused it in the last run that tried it",
}
_STATE_WORDS = "; ".join(f"`{name}`: {words}" for name, words in _STATES.items())
_CREDENTIAL = "; ".join(f"`{name}` `{{{', '.join(kind.fields)}}}`" for name, kind in KINDS.items() if kind.way)
_CREDENTIAL = f"by kind: {_CREDENTIAL}. It is encrypted, and in no answer"
_ADDRESS = (
    "where its source is asked. A kind that asks at one address needs none; `codebuddy` and `file` take none. Hosts "
    "must be public and have https, except those that an administrator names where `ARCHIVE_SOURCES_PRIVATE` is set"
)
_RATE = (
    f"what one of its unit is worth; `amount` is a number or its text, above 0 and with at most {rates.DIGITS} decimals"
)
_FORMAT = Meta(
    description="of the files that an archive of the kind `file` holds; null or missing: that of its first file",
    examples=[None],
)
_PROVES = Meta(
    description="of the kinds `openai-costs` and `anthropic-usage`, and of files with sums of days: the further "
    "archive of the account whose days its bills prove; null for none",
    examples=[None],
)
_ITS_OWN_FORMAT = Meta(description="its own: an archive keeps the format of its files", examples=[None])
_NONE = {"404 not_found": "The account has no such archive."}
_LABEL = Meta(description="what the owner calls it", max_length=StoredArchive.LABEL_LENGTH)


class Rate(Answer, frozen=True):
    heading: ClassVar[str] = "Archives"

    amount: Annotated[str, Meta(description="what one of the archive's unit is worth", examples=["0.01"])]
    unit: Annotated[str, one_of(rates.MONEY)]


class Archive(Answer, frozen=True):
    heading: ClassVar[str] = "Archives"

    id: int
    kind: Annotated[str, one_of(KINDS)]
    label: Annotated[str, _LABEL]
    unit: Annotated[str, about("what its amounts are counted in")]
    address: Annotated[str, about("where its source is asked")]
    state: Annotated[str, one_of(_STATES, _STATE_WORDS)]
    first_day: Annotated[Day | None, about("the first day with records")]
    last_day: Day | None
    records: Count
    primary: Annotated[bool, about("the account's first one, which all endpoints are about without `archive=`")]
    rate: Annotated[Rate | None, about("by which its amounts are converted, as an estimate; null without one")]
    format: (
        Annotated[str, one_of(SERVICES, "whose files it holds; null before its first one, and for other kinds")] | None
    )
    proves: Annotated[int | None, about("the archive whose days its bills prove; null for other kinds")]


class NamedField(Answer, frozen=True):
    """What the refusal of a body may have beside the usual fields of an error."""

    field: Annotated[str, about("the one that is not accepted")] | UnsetType = UNSET


_WRONG = {"400 bad_request": Refusal("A value is not accepted, or the account may not do this.", NamedField)}


class NewArchive(Given, frozen=True):
    kind: Annotated[str, one_of(KINDS)]
    label: Annotated[str, _LABEL]
    address: Annotated[str | None, about(_ADDRESS)] | UnsetType = UNSET
    credential: Annotated[dict[str, Any] | None, about(_CREDENTIAL)] | UnsetType = UNSET
    rate: Annotated[Rate | None, about(_RATE)] | UnsetType = UNSET
    format: Annotated[Annotated[str, one_of(SERVICES)] | None, _FORMAT] | UnsetType = UNSET
    proves: Annotated[int | None, _PROVES] | UnsetType = UNSET


class ChangedArchive(Given, frozen=True):
    kind: Annotated[str, about("its own: an archive keeps its kind")] | UnsetType = UNSET
    format: Annotated[str | None, _ITS_OWN_FORMAT] | UnsetType = UNSET
    proves: Annotated[int | None, _PROVES] | UnsetType = UNSET
    label: Annotated[str, _LABEL] | UnsetType = UNSET
    address: Annotated[str | None, about(f"{_ADDRESS}. Another one needs the credential again")] | UnsetType = UNSET
    credential: Annotated[dict[str, Any] | None, about(f"{_CREDENTIAL}; null removes it")] | UnsetType = UNSET
    rate: Annotated[Rate | None, about(f"{_RATE}; null removes it")] | UnsetType = UNSET


class TestedCredential(Given, frozen=True):
    credential: Annotated[dict[str, Any], about("the stored one where it is missing")] | UnsetType = UNSET


class RepeatedLabel(Given, frozen=True):
    label: Annotated[str, about("the archive's own, as a confirmation")]


class StoredChange(Done, frozen=True):
    id: int
    warnings: Annotated[list[str], about("about the credential that was stored")] | UnsetType = UNSET


@described(ACCOUNTS, "Archives", "The archives of the account, the first one first", answer=Items[Archive])
def own_archives(request: AccountRequest) -> Items[Archive]:
    return Items(listed(request.user.pk))


def listed(user_id: int) -> list[Archive]:
    """The archives of an account that exists, the first one first, with what each holds."""
    own = archives.all_of(user_id)
    recorded = read_sums.recorded_by_archive([one.pk for one in own])
    rated = rates.rates_of([one.pk for one in own])
    of_instance = config.instance_settings().api_base
    return [
        _payload(
            one,
            recorded.get(one.pk, read_sums.NOTHING),
            _address_of(KINDS[one.kind].way, one, of_instance),
            rated.get(one.pk),
        )
        for one in own
    ]


@described(
    ACCOUNTS,
    "Archives",
    "Make an archive",
    body=NewArchive,
    errors={**_WRONG, **REAUTHENTICATE},
)
@recent_password_required
def create_archive(request: AccountRequest) -> StoredChange:
    """POST /api/archives. Raises ApiError 400."""
    body = body_of(request)
    kind, label = _kind_of(body), archive_changes.label_of(body.get("label"))
    file_format = _format_in(kind, body.get("format"))
    proves = _proves_in(kind, file_format, body.get("proves"), archives.further_of(request.user.pk))
    unit = forms.unit_of(file_format) if file_format else kind.unit
    rate = rates.rate_in(body.get("rate"), unit.code)
    address = _given_address(kind.way, body.get("address"), request.user.pk)
    with transaction.atomic():
        made = archive_changes.create(
            request.user,
            actor_of(request),
            kind=kind.traits.kind,
            label=label,
            unit=unit.code,
            address=address,
            file_format=file_format,
            proves_id=proves,
        )
        rates.store(made.pk, rate)
        warnings = _store_credential(kind, made.pk, body)
    return StoredChange(True, gettext("The archive is made."), made.pk, warnings or UNSET)


@described(
    ACCOUNTS,
    "Archives",
    "Change an archive",
    body=ChangedArchive,
    errors={**_WRONG, **_NONE, **REAUTHENTICATE},
)
@recent_password_required
def change_archive(request: AccountRequest, archive_id: int) -> StoredChange:
    """POST /api/archives/<id>: label, address, credential, rate, `proves`; all or nothing. Raises ApiError 400, 404."""
    body, archive = body_of(request), archives.own(request.user.pk, archive_id)
    if body.get("kind", archive.kind) != archive.kind:
        raise WrongField("kind", gettext("An archive keeps its kind."))
    if body.get("format", archive.file_format or None) != (archive.file_format or None):
        raise WrongField("format", gettext("An archive keeps the format of its files."))
    # Refused before anything is changed.
    _credential_in(body)
    rate = rates.rate_in(body.get("rate"), archive.unit)
    kind = KINDS[archive.kind]
    with transaction.atomic():
        archive = archive_changes.own_to_change(request.user.pk, archive_id)
        proves = archive.proves_id
        if "proves" in body:
            others = [one for one in archives.further_of(request.user.pk) if one.pk != archive_id]
            proves = _proves_in(kind, archive.file_format, body["proves"], others)
        if "label" in body:
            archive.label = archive_changes.label_of(body["label"])
        if "address" in body:
            _move(archive, _given_address(kind.way, body["address"], request.user.pk))
        if "rate" in body:
            rates.store(archive_id, rate)
        if _let_prove(archive, proves):
            transaction.on_commit(partial(queue_once, tasks.COMPARE_FILES))
        warnings = _store_credential(kind, archive_id, body)
        archive_changes.change(archive, actor_of(request))
    return StoredChange(True, gettext("The archive is saved."), archive_id, warnings or UNSET)


@described(
    ACCOUNTS,
    "Archives",
    "Ask the source of an archive, and say what its credential gives",
    body=TestedCredential,
    answer=FineCredential | FailingCredential,
    errors={**_WRONG, **_NONE, **COOKIE_ERRORS, "429 too_frequent": "The last test was less than 10 seconds ago."},
)
def test_archive(request: AccountRequest, archive_id: int) -> FineCredential | FailingCredential:
    """POST /api/archives/<id>/test: a credential before it is stored, or the stored one. Raises ApiError."""
    archives.own(request.user.pk, archive_id)
    return credential_check.check(archive_id, _credential_in(body_of(request)) or {})


@described(
    ACCOUNTS,
    "Archives",
    "Delete an archive with its data",
    body=RepeatedLabel,
    errors={**_WRONG, **_NONE, **REAUTHENTICATE},
)
@recent_password_required
def remove_archive(request: AccountRequest, archive_id: int) -> Done:
    """POST /api/archives/<id>/delete. Raises ApiError 400 for another label and for the first archive, and 404."""
    deleted = delete_archive(request.user.pk, archive_id, body_of(request).get("label"), actor_of(request))
    return Done(True, gettext("The archive “%(label)s” is deleted with its data.") % {"label": deleted.label})


def _kind_of(body: Mapping[str, object]) -> Kind:
    name = body.get("kind")
    if not isinstance(name, str) or name not in KINDS:
        raise WrongField("kind", gettext("The kind of an archive is one of %(kinds)s.") % {"kinds": ", ".join(KINDS)})
    return KINDS[name]


def _format_in(kind: Kind, given: object) -> str:
    """Whose files an archive holds, empty where its first file says it. Raises WrongField."""
    if given is None:
        return ""
    if kind.way:
        raise WrongField("format", gettext("An archive of this kind has no such field."))
    if not isinstance(given, str) or given not in SERVICES:
        raise WrongField("format", gettext("The format is one of %(names)s, or null.") % {"names": ", ".join(SERVICES)})
    return given


def _proves_in(kind: Kind, file_format: str, given: object, others: Collection[StoredArchive]) -> int | None:
    """Which of the others the bills of an archive are to prove. Raises WrongField."""
    if given is None:
        return None
    # Of files without a format the first one says what they are.
    may_be_bills = kind.traits.bills_others or (kind.way is None and (not file_format or have_bills(file_format)))
    if not may_be_bills:
        raise WrongField("proves", gettext("An archive of this kind has no such field."))
    is_id = isinstance(given, int) and not isinstance(given, bool)
    found = next((one for one in others if is_id and one.pk == given), None)
    if found is None or traits_for(found).bills_others:
        words = gettext("Bills prove a further archive of the account, which has calls.")
        raise WrongField("proves", words)
    return found.pk


def _let_prove(archive: StoredArchive, proved: int | None) -> bool:
    """Let the bills of an archive prove the days of another one from now on; gives whether that is new, so that what
    they proved is to be compared again."""
    if proved == archive.proves_id:
        return False
    day_proofs.forget_bill(archive.pk)
    for archive_id in filter(None, (archive.proves_id, proved)):
        raise_version(archive_id)
    archive.proves_id = proved
    return True


def _given_address(way: Way | None, given: object, user_id: int) -> str:
    """The address as it is stored, empty for that of the kind or of the instance. Raises WrongField."""
    if given is None and (way is None or way.address != ""):
        return ""
    if way is None:
        raise WrongField("address", gettext("An archive of files is not asked anywhere."))
    if way.address is None:
        words = gettext("An archive of this kind is asked at the address in the instance's settings.")
        raise WrongField("address", words)
    return normal_address(given, private_allowed=private_allowed(user_id))


def _move(archive: StoredArchive, address: str) -> None:
    """Change the address of an archive. A credential was given for one address, and is not sent to another."""
    if address != archive.address:
        credential.clear(archive.pk)
    archive.address = address


def _address_of(way: Way | None, archive: StoredArchive, of_instance: str) -> str:
    if way is None:
        return ""
    return archive.address or (of_instance if way.address is None else way.address)


def _store_credential(kind: Kind, archive_id: int, body: Mapping[str, object]) -> list[str]:
    """Store the credential that a body has, or remove it; gives warnings. Raises WrongField."""
    if "credential" not in body:
        return []
    given = _credential_in(body)
    if given is None:
        credential.clear(archive_id)
        return []
    if kind.way is None:
        raise WrongField("credential", gettext("An archive of files needs no credential."))
    return kind.way.store(archive_id, given)


def _credential_in(body: Mapping[str, object]) -> dict[str, object] | None:
    given = body.get("credential")
    if given is not None and not isinstance(given, dict):
        raise WrongField("credential", gettext("A credential is an object of its fields."))
    return given


def _payload(archive: StoredArchive, recorded: read_sums.Recorded, address: str, rate: rates.Rate | None) -> Archive:
    return Archive(
        id=archive.pk,
        kind=archive.kind,
        label=archive.label,
        unit=archive.unit,
        address=address,
        state=_state_of(archive.pk) if KINDS[archive.kind].way else "ready",
        first_day=recorded.first,
        last_day=recorded.last,
        records=recorded.calls,
        primary=archive.pk == archives.first_of(archive.user_id),
        rate=Rate(rate.text, rate.unit) if rate else None,
        format=archive.file_format or None,
        proves=archive.proves_id,
    )


def _state_of(archive_id: int) -> str:
    found = credential.states(archive_id)
    if not any(one.usable for one in found):
        return "broken" if any(one.set for one in found) else "no_credential"
    return "refused" if credential_is_refused(archive_id) else "ready"
