"""Normal forms of texts with very many marks (archive_site/lib/normal_form.py)."""

import unicodedata
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_site.lib.normal_form import normal_form

FORMS: list[Literal["NFC", "NFD", "NFKC"]] = ["NFC", "NFD", "NFKC"]
MARKS = "\u0301\u0323"


@pytest.mark.parametrize("form", FORMS)
@given(text=st.text(alphabet=st.sampled_from("aeﬁ①가각ａ" + MARKS) | st.characters(), max_size=400))
def test_other_texts_have_the_normal_form_of_unicode(form: Literal["NFC", "NFD", "NFKC"], text: str) -> None:
    # No thirty marks in a row.
    text = "a".join(text[place : place + 30] for place in range(0, len(text), 30)) * 2
    assert normal_form(form, text) == unicodedata.normalize(form, text)


@pytest.mark.parametrize("form", FORMS)
def test_of_very_many_marks_thirty_stay(form: Literal["NFC", "NFD", "NFKC"]) -> None:
    assert normal_form(form, "x" + MARKS * 60_000 + "y") == unicodedata.normalize(form, "x" + MARKS * 15 + "y")
