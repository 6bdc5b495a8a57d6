"""Each way in which a command fails, and its exit code: docs/client.md#exit-codes."""

import json
import socket
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from archive_site.client import connection
from archive_site.client.access import Access
from archive_site.client.connection import Server
from archive_site.client.outcome import MEANINGS, ExitCode, Failure
from tests.client.conftest import ROOT, Run, ScriptedServer, Start
from tests.silent_port import silent_port

pytestmark = pytest.mark.landing
TOKEN = "ua_" + "x" * 38


def answer(status: str, body: str, kind: str = "application/json", **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body.encode())}"]
    # Without this the next request might be sent over a connection that is just being closed.
    lines += ["Connection: close", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", body]).encode()


def failure(message: str) -> str:
    return json.dumps({"ok": False, "error": "some", "message": message})


TOTALS = json.dumps({"ok": True})
FINE = answer("200 OK", TOTALS, Archive_Account="1")
RECORD = {"ts": "2026-09-08 12:00:00", "credits": 1.5, "model": "m", "client": "c", "prompt": "p"}


@pytest.mark.thorough_after(5)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "usage: "),
        (["up"], "manage"),
        (["summary"], "no server"),
        (["summary", "--server", "http://127.0.0.1:1"], "no token"),
        (["summary", "--server", "usage.example.org", "--token", TOKEN], "an address such as"),
        (["summary", "--server", "http://me:secret@host", "--token", TOKEN], "no name, password"),
        (["summary", "--server", "http://127.0.0.1:1", "--token", "a\nb"], "characters that no token has"),
        (["summary", "--server", "http://127.0.0.1:1", "--token-file", "/none"], "cannot be read"),
        (["summary", "--tokn", TOKEN], "unrecognized"),
        (["records", "--limit", "0"], "from 1 to"),
        (["top", "-n", "1001"], "from 1 to 1000"),
        (["top", "-n", "0"], "from 1 to 1000"),
        (["top", "-n", "-1"], "from 1 to 1000"),
        (["top", "-n", "many"], "from 1 to 1000"),
        (["export", "-o", ""], "the name of a file"),
        (["export", "--output="], "the name of a file"),
        (["summary", "--server", "http://usage..example.org", "--token", TOKEN], "an address such as"),
        (["--json", "manage"], "first word"),
        (["summary", "--server", "http://127.0.0.1:1", "--token", TOKEN, "--model", "\udcff"], "no text"),
    ],
)
def test_wrong_usage_is_2_and_repeats_no_secret(command: Run, words: list[str], said: str) -> None:
    done = command(*words)
    assert (done.returncode, done.stdout) == (ExitCode.USAGE, "")
    assert said in done.stderr
    assert TOKEN not in done.stderr
    assert "secret" not in done.stderr
    assert "Traceback" not in done.stderr


def test_help_lists_the_verbs_the_administration_and_the_exit_codes(command: Run) -> None:
    done = command("--help")
    assert (done.returncode, done.stderr) == (0, "")
    for word in ("summary", "daily", "top", "records", "export", "collect", "status", "manage", *MEANINGS.values()):
        assert word in done.stdout


def test_the_document_has_each_exit_code() -> None:
    document = (ROOT / "docs/client.md").read_text(encoding="utf-8")
    assert set(MEANINGS) == set(ExitCode)
    assert all(f"\n| {code:d} | " in document for code in MEANINGS)


@pytest.mark.thorough_after(5)
@pytest.mark.parametrize(
    ("sent", "code", "said"),
    [
        (answer("200 OK", "<html>", "text/html"), ExitCode.SERVER, "no usage archive"),
        (answer("200 OK", "{}"), ExitCode.SERVER, "no usage archive"),
        (answer("404 Not Found", "<html>", "text/html"), ExitCode.SERVER, "404 Not Found"),
        (answer("500 Error", failure("Failed: event 12ab.")), ExitCode.SERVER, "event 12ab"),
        (answer("502 Bad Gateway", "", "text/html"), ExitCode.SERVER, "502 Bad Gateway"),
        (answer("400 Bad Request", failure("'from' is no day.")), ExitCode.USAGE, "no day"),
        (answer("401 Unauthorized", failure("This token has ended.")), ExitCode.REFUSED, "has ended"),
        (answer("403 Forbidden", failure("Scope.")), ExitCode.REFUSED, "Scope"),
        (answer("429 Many", failure("Wait."), Retry_After="3600"), ExitCode.SERVER, "Wait. Try again in 3600 seconds."),
        (answer("429 Many", failure("Slow"), Retry_After="3600"), ExitCode.SERVER, "Slow. Try again in 3600 seconds."),
        (answer("429 Many", failure("Slow")), ExitCode.SERVER, "Slow"),
        (answer("302 Found", "", Location="https://other.example/"), ExitCode.SERVER, "https://other.example/"),
        (answer("200 OK", "{}")[:-1], ExitCode.UNREACHABLE, "broke off"),
        (b"", ExitCode.UNREACHABLE, "cannot be reached"),
        (answer("500 Error", failure("\x1b[31mred\nline")), ExitCode.SERVER, "\ufffd[31mred line"),
    ],
)
def test_what_a_server_answers_is_one_line(
    command: Run, scripted: ScriptedServer, sent: bytes, code: ExitCode, said: str
) -> None:
    scripted.answers = [sent]
    done = command("summary", "--server", scripted.url, "--token", TOKEN)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (code, "", 1), done.stderr
    assert said in done.stderr
    assert TOKEN not in done.stderr


def test_a_server_that_is_not_there_is_3(command: Run) -> None:
    with silent_port() as port:
        done = command("summary", "--server", f"http://127.0.0.1:{port}", "--token", TOKEN)
    assert (done.returncode, done.stderr.count("\n")) == (ExitCode.UNREACHABLE, 1)
    assert "refused" in done.stderr


def test_a_server_on_this_machine_is_asked_past_the_proxy(command: Run, scripted: ScriptedServer) -> None:
    """The proxy would get the token."""
    scripted.answers = [FINE]
    with silent_port() as port:
        access = ("--server", scripted.url, "--token", TOKEN)
        done = command("summary", "--json", *access, http_proxy=f"http://127.0.0.1:{port}", no_proxy="")
    assert (done.returncode, done.stdout) == (0, f"{TOTALS}\n")


def test_missing_certificates_are_named(command: Run) -> None:
    access = ("--server", "https://127.0.0.1:1", "--token", TOKEN)
    done = command("summary", *access, REQUESTS_CA_BUNDLE="/none/ca.pem")
    assert (done.returncode, done.stderr.count("\n")) == (ExitCode.UNREACHABLE, 1)
    assert "the certificates that REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE names are missing" in done.stderr


@pytest.mark.thorough
def test_it_waits_for_as_long_as_the_server_asks(command: Run, scripted: ScriptedServer) -> None:
    scripted.answers = [answer("429 Many", failure("Wait."), Retry_After="1"), FINE]
    done = command("summary", "--json", "--server", scripted.url, "--token", TOKEN)
    assert (done.returncode, done.stdout) == (0, f"{TOTALS}\n")


def test_a_netrc_does_not_replace_the_token(command: Run, scripted: ScriptedServer, tmp_path: Path) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password secret\n")
    scripted.answers = [FINE]
    command("--server", f"{scripted.url}/", "daily", "--json", "--token", TOKEN, HOME=str(tmp_path))
    assert scripted.seen[0]["Authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize("ending", [b"", b"0\r\n\r\n"])
def test_an_export_that_breaks_off_leaves_no_file(
    command: Run, scripted: ScriptedServer, tmp_path: Path, ending: bytes
) -> None:
    line = b'"THIS FILE IS NOT COMPLETE: the export broke off here. Please export again."\r\n'
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nContent-Disposition: attachment\r\n"
    chunk = b"%x\r\n%b\r\n" % (len(line), line)
    scripted.answers = [head + b"Transfer-Encoding: chunked\r\n\r\n" + chunk + ending]
    file = tmp_path / "out.csv"
    done = command("export", "-o", str(file), "--server", scripted.url, "--token", TOKEN)
    assert done.returncode == (ExitCode.SERVER if ending else ExitCode.UNREACHABLE), done.stderr
    assert list(tmp_path.glob("*out.csv*")) == []
    assert list(tmp_path.glob(".*")) == []


@pytest.mark.parametrize("begun", [b"", FINE[:-1]])
def test_a_server_that_falls_silent_is_3_after_the_timeout(
    command: Run, scripted: ScriptedServer, begun: bytes
) -> None:
    scripted.answers, scripted.hangs = [begun], True
    done = command("summary", "--timeout", "0.3", "--server", scripted.url, "--token", TOKEN)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (ExitCode.UNREACHABLE, "", 1), done.stderr
    assert "did not answer within 0.3 seconds" in done.stderr


def test_a_connection_that_nobody_takes_is_given_up_after_the_seconds_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_CONNECT", 0.2)
    with ExitStack() as opened:
        full = opened.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        address = full.getsockname()
        # The system takes connections until the queue is full, and then does not answer.
        with suppress(TimeoutError):
            while True:
                opened.enter_context(socket.create_connection(address, timeout=0.2))
        server = Server(Access(f"http://127.0.0.1:{address[1]}", TOKEN), 60, print)
        with pytest.raises(Failure, match="no connection within 0.2 seconds") as caught:
            server.get("/api/summary")
    assert caught.value.code == ExitCode.UNREACHABLE


# The second page is a failure, which comes while the first one is not written yet.
@pytest.mark.parametrize("pages", [1, 2])
def test_an_output_that_cannot_be_written_is_1(scripted: ScriptedServer, start: Start, pages: int) -> None:
    page = json.dumps({"items": [RECORD], "total": 1, "pages": pages})
    scripted.answers = [answer("200 OK", page, Archive_Account="1"), answer("200 OK", "{}")]
    words = ("records", "--json", "--server", scripted.url, "--token", TOKEN)
    with Path("/dev/full").open("wb") as full:
        process = start(*words, stdout=full.fileno(), PYTHONUNBUFFERED="")
        error = process.communicate(timeout=30)[1]
    assert (process.returncode, error.count("\n")) == (ExitCode.FAILED, 1), error
    assert "cannot be written" in error
    assert len(scripted.seen) == pages
