"""Passkeys (WebAuthn) for the address in ARCHIVE_ORIGIN alone: what a browser is asked, and whether it answers right.

The Host header is ignored: anybody may send any. This module is loaded where a passkey is asked for, since its library
reads a list of all domains.
"""

import struct
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from cryptography.exceptions import UnsupportedAlgorithm
from django.conf import settings
from django.db.models import Q
from fido2.server import Fido2Server
from fido2.utils import websafe_encode
from fido2.webauthn import (
    AttestedCredentialData,
    AuthenticationResponse,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialUserEntity,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from accounts.models import Passkey, SecondFactor, User
from accounts.second_factor.passkeys import WrongAnswer
from archive_site.lib import clock

# What an answer of no right form raises in the library, and a key that it cannot verify with.
_MALFORMED = (
    ValueError, KeyError, TypeError, IndexError, AttributeError, AssertionError, RecursionError, struct.error,
    NotImplementedError, UnsupportedAlgorithm,
)  # fmt: skip
# Where a key in the form of COSE says what it is for.
_ALGORITHM = 3

Json = dict[str, Any]
# What the session keeps of a question: without it no answer is right.
Asked = dict[str, Any]


def ask_for_new(user: User) -> tuple[Json, Asked]:
    """What a browser is asked to make a passkey; an authenticator that holds one of the account makes no other."""
    row, _ = SecondFactor.objects.get_or_create(user_id=user.pk)
    entity = PublicKeyCredentialUserEntity(
        id=row.handle.bytes, name=user.username, display_name=user.display_name or user.username
    )
    options, asked = _server().register_begin(
        entity,
        [_data(one) for one in Passkey.objects.filter(user_id=user.pk)],
        resident_key_requirement=ResidentKeyRequirement.PREFERRED,
        user_verification=UserVerificationRequirement.PREFERRED,
    )
    return dict(options), asked


def store(user_id: int, name: str, asked: Asked, answer: Mapping[str, Any]) -> Passkey:
    """Store the passkey that a browser has made. Raises WrongAnswer."""
    server = _server()
    try:
        made = server.register_complete(asked, answer)
        data = made.credential_data
        # The library takes keys that it did not offer to take.
        if data is None or data.public_key[_ALGORITHM] not in [one.alg for one in server.allowed_algorithms]:
            raise WrongAnswer
    except _MALFORMED as error:
        raise WrongAnswer from error
    credential_id = websafe_encode(data.credential_id)
    if Passkey.objects.filter(credential_id=credential_id).exists():
        raise WrongAnswer
    return Passkey.objects.create(
        user_id=user_id,
        name=name,
        credential_id=credential_id,
        public_key=b64encode(bytes(data)).decode(),
        sign_count=made.counter,
    )


def ask(user_id: int | None = None) -> tuple[Json, Asked]:
    """What a browser is asked to answer with a passkey of the account; without an account, with any that it has for
    this service, once it has made sure who uses it."""
    if user_id is None:
        options, asked = _server().authenticate_begin(user_verification=UserVerificationRequirement.REQUIRED)
    else:
        own = [_data(one) for one in Passkey.objects.filter(user_id=user_id)]
        options, asked = _server().authenticate_begin(own, UserVerificationRequirement.PREFERRED)
    return dict(options), asked


def use(asked: Asked, answer: Mapping[str, Any], user_id: int | None = None) -> Passkey:
    """The passkey that has answered: one of the account; without an account, one of an account that lets passkeys alone
    sign in. Raises WrongAnswer."""
    try:
        given = AuthenticationResponse.from_dict(answer)
        found = Passkey.objects.select_related("user").filter(credential_id=websafe_encode(given.raw_id))
        if user_id is not None:
            found = found.filter(user_id=user_id)
        else:
            handle = given.response.user_handle
            alone = SecondFactor.objects.filter(passkeys_alone=True, handle__isnull=False)
            of_handle = [row.user_id for row in alone if handle and row.handle.bytes == bytes(handle)]
            found = found.filter(user_id__in=of_handle)
        passkey = found.first()
        if passkey is None:
            raise WrongAnswer
        _server().authenticate_complete(asked, [_data(passkey)], given)
        said = given.response.authenticator_data
        if user_id is None and not said.is_user_verified():
            raise WrongAnswer
        counted = said.counter
    except _MALFORMED as error:
        raise WrongAnswer from error
    # One that counts and has counted less than before is a copy.
    newer = Q(sign_count__lt=counted) | Q(sign_count=0)
    if not Passkey.objects.filter(newer, pk=passkey.pk).update(sign_count=counted, last_used_at=clock.now()):
        raise WrongAnswer
    return passkey


def _server() -> Fido2Server:
    host = urlsplit(settings.ORIGIN).hostname or ""
    entity = PublicKeyCredentialRpEntity(id=host, name=settings.ARCHIVE_NAME)
    return Fido2Server(entity, verify_origin=lambda origin: origin == settings.ORIGIN)


def _data(passkey: Passkey) -> AttestedCredentialData:
    return AttestedCredentialData(b64decode(passkey.public_key))
