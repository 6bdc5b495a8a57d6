"""Nothing of a server reaches a terminal unescaped, whatever the verb and whatever the answer: docs/client.md#verbs."""

import io
import json
import re
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_site.client.arguments import parser
from archive_site.client.connection import Server
from archive_site.client.main import VERBS, main
from archive_site.client.outcome import ExitCode, Failure
from archive_site.client.screen import Screen
from archive_site.client.verb import Call
from tests.client.conftest import Run, ScriptedServer, Start
from tests.client.test_answer_shapes import ANSWERS, READ_BY, Stub
from tests.client.test_failures import RECORD, TOKEN, answer, failure
from tests.client.test_terminals import on_terminal

pytestmark = pytest.mark.landing
# Controls but for the end of a line, halves of pairs, and what turns the direction of a text.
OBEYED = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\u200e\u200f\u2028-\u202e\u2066-\u2069]")
STYLES = re.compile(r"\x1b\[(0|1|31)m")
CLEAR = "\x1b[2J\x1b]0;owned\x07\x9b31m\r\u202e"
HOSTILE = st.lists(
    st.sampled_from(["\x1b[2J", "\x1b]0;t\x07", "\x9b1A", "\x90q\x9c", "\r", "\n", "\x08", "\x7f", "\u202e", "\x00"])
    | st.characters(exclude_categories=["Cs"]),
    min_size=1,
).map("".join)
LISTS = st.sampled_from([*READ_BY])


def with_text(value: Any, text: str) -> Any:
    """The answer with this at the end of each of its texts, and of each name of a model."""
    if isinstance(value, str):
        return value + text
    if isinstance(value, list):
        return [with_text(part, text) for part in value]
    if not isinstance(value, dict):
        return value
    return {name + text if name == "glm" else name: with_text(part, text) for name, part in value.items()}


def shown(words: str, text: str) -> tuple[str, str]:
    """What a verb writes to standard output and standard error where each text of the server ends so."""
    out, error = io.StringIO(), io.StringIO()
    options, screen = parser().parse_args(words.split()), Screen(out, error, {})
    try:
        VERBS[options.verb](Call(options, cast(Server, Stub(with_text(ANSWERS, text))), screen))
    except Failure as failure:
        screen.note(failure.message)
    return out.getvalue(), error.getvalue()


@given(words=LISTS, text=HOSTILE, more=st.sampled_from(["", " --json"]))
def test_no_text_of_an_answer_is_obeyed(words: str, text: str, more: str) -> None:
    out, error = shown(words + more, text)
    assert out
    assert not OBEYED.search(out + error)


@given(text=HOSTILE)
def test_a_text_begins_no_line_of_its_own(text: str) -> None:
    for words in READ_BY:
        assert [len(part.splitlines()) for part in shown(words, text)] == [
            len(part.splitlines()) for part in shown(words, "x")
        ]


@given(words=LISTS, text=HOSTILE)
def test_as_json_the_escaped_text_means_the_same(words: str, text: str) -> None:
    out = shown(f"{words} --json", text)[0]
    assert json.dumps(text)[1:-1] in json.dumps(json.loads(out))


def answers() -> dict[str, bytes]:
    """What a hostile server may say instead of an answer, as bytes on the wire."""
    of_archive = {"Archive_Account": "1"}
    wire = CLEAR.replace("\u202e", "")
    return {
        "message": answer("409 Conflict", failure(CLEAR)),
        "no message": answer("500 Oh", json.dumps({"ok": False, "error": CLEAR})),
        "reason": answer(f"418 {wire.replace(chr(13), '')}", "x"),
        "redirect": answer("302 Found", "", Location=f"https://x.example/{wire.replace(chr(13), '')}"),
        "kind": answer("200 OK", "x", f"text/{wire.replace(chr(13), '')}"),
        "kind of a failure": answer("500 Oh", "x", f"text/{wire.replace(chr(13), '')}"),
        "wait": answer("409 Conflict", failure("m"), Retry_After=f"5{wire.replace(chr(13), '')}"),
        "cookie": answer("409 Conflict", failure("m"), Set_Cookie=f"a={wire.replace(chr(13), '')}"),
        "file name": answer("200 OK", "x", "text/csv", Content_Disposition=f'attachment; filename="{wire[:4]}"'),
        "head": f"HTTP/1.1 200 OK\r\n{wire}\r\n{wire}: {wire}\r\n\r\n".encode(),
        "no head": wire.encode(),
        "version": f"HTTP/{wire} 200 OK\r\n\r\n".encode(),
        "length": answer("200 OK", "x").replace(b"Content-Length: 1", b"Content-Length: \x1b[2J"),
        "encoding": answer("200 OK", CLEAR, Content_Encoding="gzip", **of_archive),
        "body": answer("200 OK", CLEAR, **of_archive),
        "names": answer("200 OK", json.dumps({CLEAR: CLEAR}), **of_archive),
    }


@pytest.mark.thorough_after(28)
@pytest.mark.parametrize("kind", answers())
@pytest.mark.parametrize("verb", VERBS)
def test_no_failure_of_a_verb_is_obeyed(
    verb: str, kind: str, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    scripted.answers = [answers()[kind]]
    code = main([verb, "--server", scripted.url, "--token", TOKEN])
    out, error = capfd.readouterr()
    assert code != ExitCode.FINE
    assert error.startswith("usage-archive: ")
    assert error.count("\n") == 1
    assert not OBEYED.search(out + error)


def broken() -> dict[str, bytes]:
    """Answers whose status line, headers or body break the rules of HTTP, by what is wrong with them."""
    chunked = answer("200 OK", "", Transfer_Encoding="chunked").replace(b"Content-Length: 0\r\n", b"")
    failed = b"HTTP/1.1 409 C\r\nContent-Type: application/json\r\n\r\n"
    places = [b"http://[::1/x", b"//[bad", b"\xff\xfe", b"http://e\x1b[31m/", b"http://a:99999999/", b"", b"x" * 9000]
    heads = [
        b"Content-Length: 5, 6", b"Content-Length: \xb2", b"Content-Length: -5", b"Content-Type: \xff; charset=\xff",
        b"Set-Cookie: \xff=\xfe; expires=x; max-age=" + b"9" * 5000, b"Retry-After: " + b"9" * 5000,
        b"Retry-After: \xb2", b"Content-Encoding: br, gzip, \xff", b"Content-Encoding: gzip",
        b"Transfer-Encoding: chunked, \xff", b"no colon", b" folded: x", b"\xff: x", b": x",
        b"x: " + b"y" * 70_000, b"\r\n".join([b"a: b"] * 200),
    ]  # fmt: skip
    said = [b"9" * 4301, b"9" * 4300, b"NaN", b"1e999999999999", b'"\\ud800"', b"[" * 900 + b"]" * 900, b"[" * 100_000]
    return {
        **{f"redirect to {place[:20]!r}": redirect(place) for place in places},
        **{f"status {status}": answer(status, "{}") for status in ("99 x", "1000 x", "abc", "-12 x", "101 x", "")},
        **{f"chunk {chunk[:20]!r}": chunked + chunk for chunk in (b"-5\r\nabc", b"\xff\r\n", b"f" * 50, b"1" * 70_000)},
        **{f"head {head[:30]!r}": b"HTTP/1.1 500 Oh\r\n%b\r\n\r\n{}" % head for head in heads},
        **{f"message {text[:20]!r}": failed + b'{"ok":false,"message":%b}' % text for text in said},
    }  # fmt: skip


def redirect(place: bytes) -> bytes:
    return b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: %b\r\n\r\n" % place


@pytest.mark.parametrize("verb", VERBS)
def test_what_breaks_the_rules_of_http_ends_a_verb_in_one_line(
    verb: str, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    for kind, sent in broken().items():
        scripted.answers = [sent]
        code = main([verb, "--timeout", "5", "--server", scripted.url, "--token", TOKEN])
        out, error = capfd.readouterr()
        codes = [ExitCode.SERVER] if kind.startswith("redirect") else [ExitCode.SERVER, ExitCode.UNREACHABLE]
        assert code in codes, (kind, error)
        assert error.startswith("usage-archive: "), kind
        assert error.count("\n") == 1, (kind, error)
        assert not OBEYED.search(out + error), kind


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize("sent", [redirect(b"//[bad"), redirect(b"\xff\xfe"), b"HTTP/1.1 500 Oh\r\nno colon\r\n\r\n"])
def test_the_program_writes_nothing_beside_that_line(command: Run, scripted: ScriptedServer, sent: bytes) -> None:
    scripted.answers = [sent]
    done = command("status", "--server", scripted.url, "--token", TOKEN)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (ExitCode.SERVER, "", 1), done.stderr


def test_a_place_in_a_list_that_cannot_be_sent_is_an_answer_of_no_archive(
    command: Run, scripted: ScriptedServer
) -> None:
    page = json.dumps({"items": [RECORD], "total": 2, "pages": 2, "next": "\ud800"})
    scripted.answers = [answer("200 OK", page, Archive_Account="1")]
    done = command("records", "--all", "--json", "--server", scripted.url, "--token", TOKEN)
    assert (done.returncode, done.stderr.count("\n")) == (ExitCode.SERVER, 1), done.stderr
    assert "its answer is broken" in done.stderr


@pytest.mark.thorough_after(3)
@pytest.mark.parametrize("words", READ_BY)
def test_a_terminal_gets_no_sequence_but_the_styles(words: str, start: Start, scripted: ScriptedServer) -> None:
    known = with_text(ANSWERS, CLEAR)
    known["/api/runs/1"]["status"] = "ok"
    # `collect` asks first whether the token is in force.
    paths = [*(["/api/status"] if words.startswith("collect") else []), *READ_BY[words]]
    scripted.answers = [answer("200 OK", json.dumps(known[path]), Archive_Account="1") for path in paths]
    text = on_terminal(start, 200, *words.split(), "--server", scripted.url, "--token", TOKEN)
    assert text
    assert not OBEYED.search(STYLES.sub("", text.replace("\r\n", "\n")))


def test_an_exported_file_in_a_pipe_stays_as_it_is(command: Run, scripted: ScriptedServer) -> None:
    body = '"a","\x1b[2J\x9b31m\u202e"\n'
    scripted.answers = [answer("200 OK", body, "text/csv", Content_Disposition="attachment")]
    done = command("export", "--server", scripted.url, "--token", TOKEN, PYTHONIOENCODING="utf-8")
    assert (done.returncode, done.stdout) == (ExitCode.FINE, body)
