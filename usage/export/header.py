"""The header of the CSV file, in the specified language or in English (docs/api.md#export)."""

from collections.abc import Collection

from django.utils.translation import gettext

from archive_site.lib.http.api_error import ApiError

SPECIFIED = "zh-hans"
# The last name is that of the purpose, a column that only some files have.
_NAMES = {
    SPECIFIED: ("RequestID", "积分消耗", "User Prompt", "模型", "客户端", "时间", "用途"),
    "en": ("RequestID", "Credits", "User Prompt", "Model", "Client", "Time", "Purpose"),
}
LANGUAGES = tuple(_NAMES)


def language_in(lang: str) -> str:
    """The language that `lang` asks for. Raises ApiError 400 for one that the header does not have."""
    asked = lang.strip() or SPECIFIED
    if asked not in _NAMES:
        message = gettext("'lang' can only be one of: %(names)s.") % {"names": ", ".join(LANGUAGES)}
        raise ApiError(400, "bad_request", message)
    return asked


def header(language: str, *, purpose: bool) -> bytes:
    """The first line of the file, with its byte-order mark."""
    names = _NAMES[language] if purpose else _NAMES[language][:-1]
    return f"\ufeff{','.join(names)}\r\n".encode()


def is_own(names: Collection[str]) -> bool:
    """Whether these are columns of this file in one of its languages."""
    return any(set(names) <= set(own) for own in _NAMES.values())
