"""The verbs that read sums: summary, daily, top."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from archive_site.client import answer_shapes as shapes
from archive_site.client.outcome import ExitCode
from archive_site.client.screen import Screen
from archive_site.client.tables import Column, Table, exact, number, whole
from archive_site.client.verb import Call

_TOTALS = (
    ("credits", "credits"), ("calls", "calls"), ("credits of a call", "avgPerCall"), ("billed calls", "paid"),
    ("free calls", "free"), ("models", "models"), ("clients", "clients"),
)  # fmt: skip

_FIGURES = {name: shapes.number for _, name in _TOTALS}
_WINDOW = shapes.object_of({
    "from": shapes.nullable(shapes.text), "to": shapes.nullable(shapes.text), "days": shapes.nullable(shapes.whole),
})  # fmt: skip
_SPAN = {**_FIGURES, "window": _WINDOW}
_CHANGE = shapes.object_of({f"{name}?": shapes.nullable(form) for name, form in _FIGURES.items()})
_COMPARISON = shapes.object_of({
    "window": _WINDOW, "until": shapes.nullable(shapes.text), "totals": shapes.object_of(_FIGURES), "change": _CHANGE,
})  # fmt: skip
_SUMMARY = shapes.object_of({
    **_SPAN, "prev": shapes.object_of(_SPAN), "delta": _CHANGE,
    "partial?": shapes.object_of({"hhmm": shapes.text}), "comparison?": _COMPARISON,
})  # fmt: skip
_DAY = shapes.object_of({
    "d": shapes.text, "c": shapes.number, "k": shapes.whole, "fc": shapes.whole, "m": shapes.map_of(shapes.number),
})  # fmt: skip
_DAILY = shapes.object_of({"days": shapes.list_of(_DAY)})
_TOP = shapes.list_of(shapes.object_of({
    "c": shapes.number, "t": shapes.text, "m": shapes.text, "cl": shapes.text, "px": shapes.text,
}))  # fmt: skip


def summary(call: Call) -> ExitCode:
    return _read(call, "/api/summary", _SUMMARY, _show_summary)


def daily(call: Call) -> ExitCode:
    return _read(call, "/api/daily", _DAILY, _show_daily)


def top(call: Call) -> ExitCode:
    return _read(call, "/api/top", _TOP, _show_top)


def _read(call: Call, path: str, form: shapes.Form, show: Callable[[Screen, Any], None]) -> ExitCode:
    answer = call.server.get(path, call.filters)
    if call.options.json:
        call.screen.json(answer.text)
    else:
        show(call.screen, answer.read(form))
    return ExitCode.FINE


def _show_summary(screen: Screen, now: Mapping[str, Any]) -> None:
    compared = now.get("comparison")
    before, span = (compared["totals"], compared["window"]) if compared else (now["prev"], now["prev"]["window"])
    change = compared["change"] if compared else now["delta"]
    until = f", today until {now['partial']['hhmm']}" if "partial" in now else ""
    screen.line(f"{_days(now['window'])}{until}")
    screen.line(f"before: {_days(span)}{_until(compared)}")
    screen.line()
    table = Table(screen, whole(""), number("now"), number("before"), number("change"))
    table.add((title, exact(now[name]), exact(before[name]), _percent(change.get(name))) for title, name in _TOTALS)


def _show_daily(screen: Screen, answer: Mapping[str, Any]) -> None:
    days = answer["days"]
    table = Table(screen, whole("day"), number("credits"), number("calls"), number("free"), Column("mostly"))
    rows = [(day["d"], exact(day["c"]), str(day["k"]), str(day["fc"]), _mostly(day["m"])) for day in days]
    calls, free = (str(sum(day[name] for day in days)) for name in ("k", "fc"))
    total = exact(sum((day["c"] for day in days), Decimal()))
    table.add([*rows, ("total", total, calls, free, "")])


def _show_top(screen: Screen, items: Sequence[Mapping[str, Any]]) -> None:
    table = Table(screen, number("credits"), whole("time"), Column("model"), Column("client"), Column("prompt"))
    table.add((exact(item["c"]), item["t"], item["m"], item["cl"], item["px"]) for item in items)


def _days(window: Mapping[str, Any]) -> str:
    first, last = window["from"], window["to"]
    if not first or not last:
        return "no days"
    return str(first) if first == last else f"{first} to {last} ({window['days']} days)"


def _until(compared: Mapping[str, Any] | None) -> str:
    return f", the last day until {compared['until']}" if compared and compared["until"] else ""


def _percent(change: Decimal | int | None) -> str:
    return "" if change is None else f"{change:+f} %"


def _mostly(models: Mapping[str, Decimal]) -> str:
    """The model on which most credits were spent."""
    return max(models, key=lambda name: models[name], default="")
