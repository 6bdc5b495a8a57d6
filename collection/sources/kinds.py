"""The kinds of sources (docs/sources.md#adding-a-kind)."""

from collections.abc import Mapping
from typing import NamedTuple

from django.utils.translation import gettext

from accounts.archives import kind_of
from accounts.config import InstanceSettings
from accounts.credentials import credential_forms
from accounts.credentials.credential_forms import CredentialForm
from archive_site.lib.http.api_error import ApiError
from collection.sources.anthropic_usage.reader import Organisation as Anthropic
from collection.sources.codebuddy import credential as codebuddy
from collection.sources.codebuddy import trial as codebuddy_trial
from collection.sources.codebuddy.traits import TRAITS as CODEBUDDY
from collection.sources.file.traits import TRAITS as FILE
from collection.sources.keyed import NUMBER, SECRET, Keyed
from collection.sources.litellm.reader import SpendLog
from collection.sources.new_api.reader import CallLog
from collection.sources.openai_costs.reader import Organisation as OpenAi
from collection.sources.openrouter.reader import Generations
from collection.sources.source import Opener, Source, Storer, Trial, Trier, Work
from usage import source_traits
from usage.amounts.units import CREDITS, UNITS, Unit
from usage.importing.service_files.forms import SERVICES_OF_BILLS
from usage.source_traits import Traits


class Way(NamedTuple):
    """How a source is asked: how the one of an archive is opened, and how a credential for it is stored and tested."""

    credential: CredentialForm
    open: Opener
    store: Storer
    trial: Trier
    # The fields of its credential, and its address, None where the instance's settings name it, empty for the owner's.
    fields: tuple[str, ...]
    address: str | None = None


class Kind(NamedTuple):
    """What a source can give, in which unit it bills, and how it is asked. A kind without a way comes in files, whose
    unit may be another one."""

    traits: Traits
    unit: Unit
    way: Way | None

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of its credential."""
        return self.way.fields if self.way else ()

    @property
    def has_own_address(self) -> bool:
        """Whether the owner of an archive says where it is asked."""
        return self.way is not None and self.way.address == ""


def _keyed(kind: Keyed, unit: Unit) -> Kind:
    return Kind(kind.traits, unit, Way(kind.form, kind.open, kind.store, kind.trial, tuple(kind.fields), kind.at))


_CODEBUDDY = Way(codebuddy.FORM, codebuddy.opened, codebuddy.stored, codebuddy_trial.begun, codebuddy.FORM.settings)
KINDS = {
    kind.traits.kind: kind
    for kind in (
        Kind(CODEBUDDY, CREDITS, _CODEBUDDY),
        _keyed(Keyed(SpendLog.traits, {"key": SECRET}, SpendLog), UNITS["USD"]),
        _keyed(Keyed(CallLog.traits, {"user_id": NUMBER, "token": SECRET}, CallLog), UNITS["quota"]),
        _keyed(Keyed(Generations.traits, {"key": SECRET}, Generations, Generations.address), UNITS["USD"]),
        _keyed(Keyed(OpenAi.traits, {"key": SECRET}, OpenAi, OpenAi.address), UNITS["USD"]),
        _keyed(Keyed(Anthropic.traits, {"key": SECRET}, Anthropic, Anthropic.address), UNITS["USD"]),
        Kind(FILE, UNITS["USD"], None),
    )
}


def require_way(archive_id: int) -> Way:
    """How the source of an archive is asked. Raises ApiError 400 where it comes in files."""
    way = KINDS[kind_of(archive_id)].way
    if way is None:
        raise ApiError(400, "bad_request", gettext("An archive of files is not collected: import its files."))
    return way


def require_calls(archive_id: int) -> None:
    """Raises ApiError 400 for an archive whose source gives no calls."""
    if require_way(archive_id) and KINDS[kind_of(archive_id)].traits.bills_others:
        raise ApiError(400, "bad_request", gettext("An archive of bills has no calls."))


def opened(archive_id: int, instance: InstanceSettings, work: Work) -> Source:
    """The source of an archive. Raises SourceFailure where its credential is missing or cannot be decrypted."""
    return require_way(archive_id).open(archive_id, instance, work)


def tried(archive_id: int, body: Mapping[str, object], instance: InstanceSettings) -> Trial:
    """The test of a credential for an archive. Raises what `Trier` does."""
    return require_way(archive_id).trial(archive_id, body, instance)


def register() -> None:
    """Make the traits of all kinds known to the ledger of days, and the forms of their credentials to the settings."""
    for kind in KINDS.values():
        source_traits.register(kind.traits)
        if kind.way:
            credential_forms.register(kind.way.credential)
    source_traits.register_bills_in_files(SERVICES_OF_BILLS)
