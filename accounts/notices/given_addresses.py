"""Addresses as the API takes them, checked: a text, or a service with its fields and a name (docs/api.md#notices)."""

from collections.abc import Mapping, Sized
from dataclasses import dataclass

from django.utils.translation import gettext

from accounts.delivery import addresses
from accounts.delivery.addresses import StoredAddress
from accounts.delivery.checking import place, why_refused
from accounts.delivery.sending.addresses import AddressError, check
from accounts.notices.service_forms import ANY, FORMS, Fields, ServiceForm
from archive_site.lib.http.api_error import ApiError
from audit.known_secrets import guard_in_request

# As many fit into the list of what was sent.
LONGEST_NAME = 40
# The end of an address as it is shown.
_SHOWN = "…"


@dataclass(frozen=True)
class Given:
    """An address to check. `number` and `text` are as they were given; `service` is the one that it must be for."""

    text: str
    number: int
    name: str = ""
    service: str = ANY


def refused(words: str) -> ApiError:
    """The error of a value that is not accepted."""
    return ApiError(400, "bad_request", words)


def texts_of(value: object) -> list[str]:
    """A list of texts. Raises ApiError 400."""
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise refused(gettext("Addresses must be texts."))
    return value


def given_one(value: object) -> Given:
    """One more address, as a text or with service, fields and name. Raises ApiError 400."""
    if isinstance(value, str):
        return Given(value, 1)
    if not isinstance(value, Mapping) or not all(isinstance(field, str) for field in value.values()):
        raise refused(gettext("'add' must be a text, or a map of service, fields and name to texts."))
    form = FORMS.get(value.get("service", ANY))
    if form is None:
        words = gettext("There is no service '%(name)s'.")
        raise refused(words % {"name": value["service"][:40]})
    return Given(form.address(_fields(form, value)), 1, name_of(value.get("name", "")), form.name)


def name_of(value: object) -> str:
    """The name that somebody chose for an address; empty for none. Raises ApiError 400."""
    name = " ".join(value.split()) if isinstance(value, str) else None
    if name is None or len(name) > LONGEST_NAME or not name.isprintable():
        words = gettext("The name of an address must be a text of at most %(most)s characters.")
        raise refused(words % {"most": LONGEST_NAME})
    return name


def require_few(all_of_them: Sized) -> None:
    """Raises ApiError 400 for more addresses than an account may have."""
    if len(all_of_them) > addresses.MOST:
        raise refused(gettext("At most %(most)s addresses.") % {"most": addresses.MOST})


def stands_for(text: str, one: StoredAddress) -> bool:
    """Whether a text in a given list means a stored address: its id, what is shown of it, or its scheme alone."""
    return text in (one.id, one.shown, one.place, one.in_plain)


def checked(user_id: int, listed: list[str], added: Given | None) -> dict[str, StoredAddress]:
    """The new ones among these, by their given texts. Raises ApiError 400 and 429."""
    stored, one_more = addresses.usable(user_id), [added] if added else []
    require_few([*listed, *one_more])
    unknown = [
        Given(text, number) for number, text in enumerate(listed, 1) if not any(stands_for(text, one) for one in stored)
    ]
    new = [one for one in (*unknown, *one_more) if not one.text.endswith(_SHOWN)]
    if not new:
        return {}
    for one in new:
        guard_in_request(one.text)
    with place(user_id):
        return {one.text: _checked(one) for one in new}


def _fields(form: ServiceForm, value: Mapping[str, str]) -> Fields:
    fields = {field.name: value.get(field.name, field.preset).strip() for field in form.fields}
    unknown = sorted(value.keys() - fields.keys() - {"service", "name"})
    if unknown:
        raise refused(gettext("The service has no field '%(name)s'.") % {"name": unknown[0][:40]})
    for field in form.fields:
        if field.is_needed and not fields[field.name]:
            raise refused(gettext("%(field)s is empty.") % {"field": field.label})
    return fields


def _checked(given: Given) -> StoredAddress:
    try:
        address = addresses.named(check(given.text).text, given.name)
    except AddressError as error:
        words = gettext("Address %(number)s: %(why)s")
        raise refused(words % {"number": given.number, "why": why_refused(error)}) from None
    if given.service not in (ANY, address.service):
        words = gettext("This is not an address of %(service)s.")
        raise refused(words % {"service": FORMS[given.service].label})
    return address
