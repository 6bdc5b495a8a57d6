"""What the file of an export has beside the specified fields, and the header of CSV (docs/api.md#export)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from archive_site.lib.http.api_error import ApiError

SPECIFIED = "zh-hans"
_NAMES = {
    SPECIFIED: ("RequestID", "积分消耗", "User Prompt", "模型", "客户端", "时间"),
    "en": ("RequestID", "Credits", "User Prompt", "Model", "Client", "Time"),
}
# Columns that only some files have.
_PURPOSE = {SPECIFIED: ("用途",), "en": ("Purpose",)}
_MEASURES = {
    SPECIFIED: ("单位", "金额来源", "输入 token", "输出 token", "缓存读取 token", "缓存写入 token"),
    "en": ("Unit", "Provenance", "Input tokens", "Output tokens", "Cache read tokens", "Cache write tokens"),
}
LANGUAGES = tuple(_NAMES)


def language_in(lang: str) -> str:
    """The language that `lang` asks for. Raises ApiError 400 for one that the header does not have."""
    asked = lang.strip() or SPECIFIED
    if asked not in _NAMES:
        message = gettext("'lang' can only be one of: %(names)s.") % {"names": ", ".join(LANGUAGES)}
        raise ApiError(400, "bad_request", message)
    return asked


@dataclass(frozen=True)
class Contents:
    """What a file has beside the specified fields: the `purpose`, and with `measured` unit, provenance and tokens."""

    purpose: bool = False
    measured: bool = False


SPECIFIED_ONES = Contents()


def header(language: str, contents: Contents) -> bytes:
    """The first line of the file, with its byte-order mark."""
    more = (*_PURPOSE[language],) * contents.purpose + (*_MEASURES[language],) * contents.measured
    return f"\ufeff{','.join((*_NAMES[language], *more))}\r\n".encode()


def is_own(names: Collection[str]) -> bool:
    """Whether these are columns of this file in one of its languages."""
    return any(set(names) <= {*_NAMES[one], *_PURPOSE[one], *_MEASURES[one]} for one in LANGUAGES)


def places_of_measures(names: Sequence[str]) -> list[int]:
    """Where unit, provenance and the four numbers of tokens stand among these columns; empty without all of them."""
    own = next((own for own in _MEASURES.values() if set(own) <= set(names)), ())
    return [names.index(one) for one in own]
