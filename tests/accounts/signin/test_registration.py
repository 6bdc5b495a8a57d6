"""Creating accounts: the rules of names, passwords and emails (docs/api.md#user)."""

import pytest
from django.core.exceptions import ValidationError

from accounts.account_creation import clean_display_name, clean_email, clean_password, clean_username, create_account
from accounts.models import User, username_key
from accounts.passwords.hashers import Argon2Hasher
from tests.factories import PASSWORD


@pytest.mark.parametrize("name", ["ab", "a1", "1a", "a_b", "a.b-c", "x" * 32, "Зоя", "李明", "Ünal", "٣٤"])
def test_letters_and_digits_of_any_script_make_a_name(name: str) -> None:
    assert clean_username(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "", "a", "x" * 33, "_ab", ".ab", "-ab", "a b", "a/b", "a@b", "a'b", "a\x00b", "a\nb", "ab\n\nc", "a\u200bb",
        "a\ud800b", "😀😀", "a,b", "<ab>",
    ],
)  # fmt: skip
def test_any_other_name_is_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        clean_username(name)


@pytest.mark.parametrize(("typed", "name"), [(" ada ", "ada"), ("ａｄａ", "ada"), ("ﬁne", "fine"), ("ada\n", "ada")])
def test_a_name_is_kept_in_its_normal_form(typed: str, name: str) -> None:
    assert clean_username(typed) == name


@pytest.mark.parametrize(
    "password", ["abcdefg1", "ABCDEFGh", "1234567!", "abcdefg ", "päßwörtérX", "密码密码密码密1", "a1" * 64]
)
def test_eight_characters_of_two_classes_make_a_password(password: str) -> None:
    assert clean_password(password, password) == password


@pytest.mark.parametrize(
    "password",
    ["", "abcdef1", "abcdefgh", "ABCDEFGH", "12345678", "!!!!!!!!", "        ", "密码密码密码密码", "a1" * 64 + "a"],
)
def test_any_other_password_is_refused(password: str) -> None:
    with pytest.raises(ValidationError):
        clean_password(password, password)


def test_a_password_that_cannot_be_stored_is_refused() -> None:
    with pytest.raises(ValidationError):
        clean_password("abcdefg1\ud800", "abcdefg1\ud800")


def test_a_password_is_never_trimmed() -> None:
    assert clean_password(" abcdefg1 ", " abcdefg1 ") == " abcdefg1 "


@pytest.mark.parametrize("repeated", ["", "correct horse 7", PASSWORD + " "])
def test_a_password_has_to_be_repeated(repeated: str) -> None:
    with pytest.raises(ValidationError, match="differ"):
        clean_password(PASSWORD, repeated)


def test_a_refused_password_is_not_repeated_in_the_message() -> None:
    with pytest.raises(ValidationError) as raised:
        clean_password("markermarker", "markermarker")
    assert "marker" not in str(raised.value)


@pytest.mark.parametrize(
    ("typed", "email"),
    [
        ("", None),
        ("  ", None),
        (" a@b ", "a@b"),
        ("ada@example.org", "ada@example.org"),
        ("a@" + "b" * 200, "a@" + "b" * 126),
    ],
)
def test_an_email_is_trimmed_and_cut(typed: str, email: str | None) -> None:
    assert clean_email(typed) == email


@pytest.mark.parametrize("typed", ["nowhere", "a b@c", "a@b\tc", "a@b\x00", "a@\ud800"])
def test_an_email_without_at_or_with_a_space_is_refused(typed: str) -> None:
    with pytest.raises(ValidationError):
        clean_email(typed)


@pytest.mark.django_db
def test_a_new_account_is_an_active_ordinary_user() -> None:
    user = create_account("ada", PASSWORD, PASSWORD)
    assert (user.status, user.is_admin, user.login_count, user.last_login_at) == ("active", False, 0, None)
    assert User.objects.get() == user


@pytest.mark.django_db
@pytest.mark.parametrize(("given", "shown"), [("", "ada"), ("  ", "ada"), (" Ada L. ", "Ada L."), ("x" * 70, "x" * 64)])
def test_the_display_name_is_trimmed_cut_and_the_name_by_default(given: str, shown: str) -> None:
    assert create_account("ada", PASSWORD, PASSWORD, display_name=given).display_name == shown


@pytest.mark.parametrize("name", ["a\ud800b", "a\x00b"])
def test_a_display_name_that_cannot_be_stored_is_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        clean_display_name(name, "ada")


@pytest.mark.django_db
@pytest.mark.parametrize("other", ["Ada", "ADA", "ａｄａ", " ada "])
def test_another_spelling_of_a_name_is_taken(other: str) -> None:
    create_account("ada", PASSWORD, PASSWORD)
    with pytest.raises(ValidationError, match="taken"):
        create_account(other, PASSWORD, PASSWORD)
    assert User.objects.count() == 1


@pytest.mark.parametrize(("one", "other"), [("Straße", "STRASSE"), ("ΣΊΣΥΦΟΣ", "σίσυφος"), ("İ", "i̇")])
def test_names_are_compared_without_case_in_any_script(one: str, other: str) -> None:
    assert username_key(one) == username_key(other)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "password", "email"), [("a", PASSWORD, ""), ("ada", "short", ""), ("ada", PASSWORD, "x")]
)
def test_nothing_is_made_where_anything_is_wrong(name: str, password: str, email: str) -> None:
    with pytest.raises(ValidationError):
        create_account(name, password, password, email=email)
    assert not User.objects.exists()


@pytest.mark.django_db
def test_the_password_is_stored_as_argon2_with_the_documented_parameters(
    documented_hashing: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in documented_hashing.items():
        monkeypatch.setattr(Argon2Hasher, name, value)
    stored = create_account("ada", PASSWORD, PASSWORD).password
    assert stored.startswith("argon2$argon2id$v=19$m=19456,t=2,p=1$")
    assert PASSWORD not in stored
