"""The upstream client against a real server over TLS."""

import ssl
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from collection.upstream.client import Upstream, UpstreamFailure, UpstreamStopped
from tests.collection.scripted_upstream import ScriptedUpstream, Step, drip, hang, rows
from tests.collection.upstream_call import END, START, settings


@contextmanager
def self_signed(folder: Path, *steps: Step) -> Iterator[ScriptedUpstream]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, now - timedelta(1), now + timedelta(1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    (folder / "server.pem").write_bytes(secret + certificate.public_bytes(pem))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem")
    with ScriptedUpstream(*steps, tls=context) as server:
        yield server


def test_a_certificate_that_is_not_trusted_is_an_api_failure_naming_the_setting(tmp_path: Path) -> None:
    with self_signed(tmp_path, rows({})) as server, Upstream(settings(server.url)) as client:
        with pytest.raises(UpstreamFailure, match="certificate of 127.0.0.1 is not trusted.*ssl_verify") as caught:
            client.page(START, END, 1)
        assert (caught.value.outcome, server.requests) == ("api", [])


def test_without_ssl_verify_any_certificate_will_do_and_nothing_is_warned_of(tmp_path: Path) -> None:
    with self_signed(tmp_path, rows({})) as server, warnings.catch_warnings(record=True) as warned:
        Upstream(settings(server.url, ssl_verify=False)).page(START, END, 1)
    assert (len(server.requests), warned) == (1, [])


@pytest.mark.parametrize("step", [hang, drip(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{")])
def test_a_hanging_request_over_tls_is_stopped_too(tmp_path: Path, step: Step) -> None:
    with self_signed(tmp_path, step) as server:
        options = settings(server.url, ssl_verify=False, timeout=30.0)
        with pytest.raises(UpstreamStopped):
            Upstream(options, should_stop=lambda: bool(server.requests)).page(START, END, 1)
        assert server.left.wait(20)
