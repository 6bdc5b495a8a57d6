"""Numbers in paths: any other text is 0, which no row has, so that the view answers (docs/api.md#conventions)."""

import pytest

from archive_site.lib.http.path_converters import Number


@pytest.mark.parametrize(
    ("text", "number"), [("17", 17), ("0", 0), ("x", 0), ("-1", 0), ("1.5", 0), ("٣", 0), ("9" * 30, 0)]
)
def test_a_text_that_is_no_number_is_0(text: str, number: int) -> None:
    assert Number().to_python(text) == number
