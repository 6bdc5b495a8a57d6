"""The columns that lists and exports have only where they are asked for (docs/api.md#columns)."""

from collections.abc import Mapping

from django.utils.translation import gettext

from archive_site.lib.http import parameter_parsing
from archive_site.lib.http.api_error import ApiError

_PURPOSE = "purpose"


def with_purpose(values: Mapping[str, object], name: str = "columns") -> bool:
    """Whether `columns` asks for the purpose. Raises ApiError 400 for any other value."""
    asked = parameter_parsing.as_text(values.get(name)).strip()
    if asked not in ("", _PURPOSE):
        message = gettext("'columns' can only be '%(name)s'.") % {"name": _PURPOSE}
        raise ApiError(400, "bad_request", message)
    return asked == _PURPOSE
