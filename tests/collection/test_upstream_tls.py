"""The upstream client against a real server over TLS."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from collection.sources.codebuddy.reader import Upstream
from collection.sources.source import ReadingStopped, SourceFailure
from tests.collection.scripted_upstream import ScriptedUpstream, Step, drip, hang, rows
from tests.collection.upstream_call import END, START, settings
from tests.self_signed import self_signed_context


@contextmanager
def self_signed(folder: Path, *steps: Step) -> Iterator[ScriptedUpstream]:
    with ScriptedUpstream(*steps, tls=self_signed_context(folder)) as server:
        yield server


def test_a_certificate_that_is_not_trusted_is_an_api_failure_naming_the_setting(tmp_path: Path) -> None:
    with self_signed(tmp_path, rows({})) as server, Upstream(settings(server.url)) as client:
        with pytest.raises(SourceFailure, match="certificate of 127.0.0.1 is not trusted.*ssl_verify") as caught:
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
        with pytest.raises(ReadingStopped):
            Upstream(options, should_stop=lambda: bool(server.requests)).page(START, END, 1)
        assert server.left.wait(60)
