"""The worst requests that one account can send, as far as they were found, and the calls that make them so."""

import json
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from urllib.parse import quote, urlencode

_WORDS = ["fix", "the", "list", "of", "build", "error", "test", "refactor", "please", "import", "数据库", "优化"]
_FORM = "multipart/form-data; boundary=part"
_EVER = {"from": "0001-01-01", "to": "9999-12-31"}


@dataclass(frozen=True)
class Sent:
    """One request: its path, and its body with its type where it is a POST."""

    path: str
    body: bytes | None = None
    type: str = "application/json"


def worst(name: str, file: bytes) -> Iterator[tuple[str, Sent]]:
    """The worst requests that were found, each under the name of its kind; `file` is one to import."""
    yield from _reads()
    yield from _exports()
    yield "import", Sent("/api/import", _form(file), _FORM)
    yield "dry-run", Sent("/api/import", _form(file, dry_run="1"), _FORM)
    yield "high-bytes", Sent("/api/import", _form(_high_bytes(52_000_000)), _FORM)
    yield "many-values", Sent("/api/import", _form((b"[" + b"0," * 2_000_000 + b"0]\n") * 8), _FORM)
    yield (
        "many-cells",
        Sent("/api/import", _form(b"id,credits,time\n" + ("一," * 2_000_000 + "\n").encode() * 5), _FORM),
    )
    yield "zip", Sent("/api/import", _form(b"PK\x03\x04" + os.urandom(3_000_000)), _FORM)
    yield "paste", _post("/api/settings", cookie=f"curl '{'a' * 60_000}' -H 'x: {chr(92) * 60_000}'")
    yield "cookie", _post("/api/settings", cookie="x" * 900_000)
    yield "nested", Sent("/api/settings", b"[" * 500_000)
    yield "setting", _post("/api/settings", user_agent="Browser/1")
    yield "password", _post("/api/password", old="wrong", new="Correct horse 1", new2="Correct horse 1")
    yield "token", _post("/api/tokens", name="one", scopes=["read"])
    yield "collect", _post("/api/collect")
    yield "verify", _post("/api/verify", **{"from": "2000-01-01", "to": "2100-01-01"})
    yield "notice", _post("/api/notices", add="ntfy://192.0.2.1/topic")
    yield "webhook", _post("/api/webhooks", address="https://192.0.2.1/hook")
    sign_in = urlencode({"username": name, "password": "wrong"}).encode()
    yield "sign-in", Sent("/login", sign_in, "application/x-www-form-urlencoded")
    yield "captcha", Sent("/captcha.png")


def _reads() -> Iterator[tuple[str, Sent]]:
    for dim in ("model", "client", "purpose"):
        yield f"dims-{dim}", _get("/api/dims", dim=dim, trend="1", **_EVER)
    yield "dims-text", _get("/api/dims", dim="model", q="the", **_EVER)
    yield "daily", _get("/api/daily", compare="previous", **_EVER)
    yield "daily-text", _get("/api/daily", compare="previous", q="th", **_EVER)
    yield "summary-text", _get("/api/summary", compare="previous", q="fix error", **_EVER)
    yield "two-letters", _get("/api/records", q="th", size="500", page="200", **_EVER)
    yield "rare-words", _get("/api/records", q="zz qq", size="500", **_EVER)
    yield "by-credits", _get("/api/records", q="数优", order="credits_desc", size="500", **_EVER)
    yield "deep-page", _get("/api/records", order="model_asc", credits_above="1", size="500", page="300")
    yield "top-text", _get("/api/top", q="the", **_EVER)
    yield "repeated", _get("/api/repeated", n="200", **_EVER)
    yield "repeated-text", _get("/api/repeated", n="200", q="the", **_EVER)
    yield "bundle", _get("/api/bundle", **_EVER)
    yield "bundle-text", _get("/api/bundle", q="the", **_EVER)
    yield "archives", _get("/api/archives/totals", **_EVER)
    yield "changes", _get("/api/changes", after="0", n="10000")
    yield "coverage", _get("/api/coverage", **_EVER)
    yield "bills", _get("/api/bills", size="500", **_EVER)
    yield "packages", _get("/api/packages")
    yield "orders", _get("/api/orders")
    yield "forecast", _get("/api/forecast")
    yield "description", _get("/api/openapi.json")
    yield "overview", _get("/", **_EVER)
    yield "records-page", _get("/records", q="the", **_EVER)
    yield "statement", _get(f"/statements/{date.today() - timedelta(days=90):%Y-%m}")


def _exports() -> Iterator[tuple[str, Sent]]:
    for form in ("csv", "jsonl", "parquet"):
        yield f"export-{form}", _get("/records/export", format=form, order="model_asc", **_EVER)
    yield "export-text", _get("/records/export", format="jsonl", q="the", **_EVER)
    yield "account", _get("/api/account/export")


def _get(path: str, **parameters: str) -> Sent:
    return Sent(f"{path}?{urlencode(parameters, quote_via=quote)}" if parameters else path)


def _post(path: str, **fields: object) -> Sent:
    return Sent(path, json.dumps(fields).encode())


def _form(file: bytes, **fields: str) -> bytes:
    parts = [
        f'--part\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n' for name, text in fields.items()
    ]
    head = '--part\r\nContent-Disposition: form-data; name="file"; filename="calls.csv"\r\n\r\n'
    return "".join(parts).encode() + head.encode() + file + b"\r\n--part--\r\n"


def _high_bytes(number: int) -> bytes:
    """Bytes that may begin characters in many encodings, and end none."""
    return os.urandom(number).translate(bytes(byte | 0xC0 for byte in range(256)))


def calls(number: int, names: int, mark: str) -> bytes:
    """A CSV of calls over nearly a year, with as many models and clients."""
    dice, first = random.Random(mark), datetime.now() - timedelta(days=350)
    step = timedelta(days=349) / number
    lines = ["request_id,credits,model,client,time,prompt"]
    for place in range(number):
        at, prompt = first + place * step, " ".join(dice.choices(_WORDS, k=60))
        name = f"m{dice.randrange(names)},c{dice.randrange(names)}"
        lines.append(f"{mark}{place},{dice.random() * 20:.6f},{name},{at:%Y-%m-%d %H:%M:%S},{prompt}")
    return "\n".join(lines).encode()
