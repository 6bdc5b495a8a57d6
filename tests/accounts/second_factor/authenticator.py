"""A device that keeps passkeys, as WebAuthn describes it: what a browser would send for it."""

import json
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor
from fido2.cose import ES256
from fido2.utils import websafe_decode, websafe_encode

PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40
Json = dict[str, Any]


@dataclass
class Authenticator:
    """`counts`: how often it was used, None for one that does not count. `is_sure`: it makes sure who uses it.
    `algorithm`: what it says that its key is for."""

    origin: str
    is_sure: bool = True
    counts: int | None = 0
    handle: bytes = b""
    credential_id: bytes = b"0123456789abcdef"
    algorithm: int = ES256.ALGORITHM
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def make(self, question: Json) -> Json:
        """The answer to what a browser is asked to make."""
        public = question["publicKey"]
        self.handle = websafe_decode(public["user"]["id"])
        attested = bytes(16) + len(self.credential_id).to_bytes(2, "big") + self.credential_id
        key = ES256.from_cryptography_key(self.key.public_key())  # type: ignore[no-untyped-call]
        attested += cbor.encode({**key, 3: self.algorithm})
        data = self._data(public["rp"]["id"], ATTESTED) + attested
        client = self._client("webauthn.create", public["challenge"])
        attestation = cbor.encode({"fmt": "none", "attStmt": {}, "authData": data})
        return self._given({"clientDataJSON": client, "attestationObject": attestation})

    def answer(self, question: Json, **changes: Any) -> Json:
        """The answer to a question; `changes` are other values of the response."""
        public = question["publicKey"]
        data = self._data(public["rpId"])
        client = self._client("webauthn.get", public["challenge"])
        signature = self.key.sign(data + sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        given = {"clientDataJSON": client, "authenticatorData": data, "signature": signature, "userHandle": self.handle}
        return self._given({**given, **changes})

    def _data(self, host: str, flags: int = 0) -> bytes:
        if self.counts is not None:
            self.counts += 1
        flags |= PRESENT | (VERIFIED if self.is_sure else 0)
        return sha256(host.encode()).digest() + bytes([flags]) + (self.counts or 0).to_bytes(4, "big")

    def _client(self, kind: str, challenge: str) -> bytes:
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": False}).encode()

    def _given(self, response: dict[str, bytes]) -> Json:
        name = websafe_encode(self.credential_id)
        texts = {key: websafe_encode(value) for key, value in response.items()}
        return {"id": name, "rawId": name, "type": "public-key", "response": texts, "clientExtensionResults": {}}
