"""The verbs that read sums: summary, daily, top."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from archive_site.client import forms
from archive_site.client.outcome import ExitCode
from archive_site.client.screen import Screen
from archive_site.client.tables import Column, Table, exact, number, whole
from archive_site.client.verb import Call

_TOTALS = (
    ("credits", "credits"), ("calls", "calls"), ("credits of a call", "avgPerCall"), ("billed calls", "paid"),
    ("free calls", "free"), ("models", "models"), ("clients", "clients"),
)  # fmt: skip

_FIGURES = {name: forms.number for _, name in _TOTALS}
_WINDOW = forms.object_of({
    "from": forms.nullable(forms.text), "to": forms.nullable(forms.text), "days": forms.nullable(forms.whole),
})  # fmt: skip
_SPAN = {**_FIGURES, "window": _WINDOW}
_CHANGE = forms.object_of({f"{name}?": forms.nullable(form) for name, form in _FIGURES.items()})
_COMPARISON = forms.object_of({
    "window": _WINDOW, "until": forms.nullable(forms.text), "totals": forms.object_of(_FIGURES), "change": _CHANGE,
})  # fmt: skip
_SUMMARY = forms.object_of({
    **_SPAN, "prev": forms.object_of(_SPAN), "delta": _CHANGE,
    "partial?": forms.object_of({"hhmm": forms.text}), "comparison?": _COMPARISON,
})  # fmt: skip
_DAY = forms.object_of({
    "d": forms.text, "c": forms.number, "k": forms.whole, "fc": forms.whole, "m": forms.map_of(forms.number),
})  # fmt: skip
_DAILY = forms.object_of({"days": forms.list_of(_DAY)})
_TOP = forms.list_of(forms.object_of({
    "c": forms.number, "t": forms.text, "m": forms.text, "cl": forms.text, "px": forms.text,
}))  # fmt: skip


def summary(call: Call) -> ExitCode:
    return _read(call, "/api/summary", _SUMMARY, _show_summary)


def daily(call: Call) -> ExitCode:
    return _read(call, "/api/daily", _DAILY, _show_daily)


def top(call: Call) -> ExitCode:
    return _read(call, "/api/top", _TOP, _show_top)


def _read(call: Call, path: str, form: forms.Form, show: Callable[[Screen, Any], None]) -> ExitCode:
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
