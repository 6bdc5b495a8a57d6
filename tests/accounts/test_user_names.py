"""User names: allowed characters, and duplicates by case, width or likeness.

The rules: docs/decisions/accounts.md#names-that-look-alike.
"""

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from accounts import user_changes
from accounts.account_creation import clean_username, create_account
from accounts.actor import Actor
from accounts.models import User
from accounts.passwords.lookalikes import likeness, scripts
from tests.accounts.page_forms import sign_in
from tests.factories import PASSWORD, ApiClient, make_user

pytestmark = pytest.mark.django_db
ZERO_WIDTH_SPACE, ZERO_WIDTH_JOINER, SOFT_HYPHEN, RIGHT_TO_LEFT = "\u200b", "\u200d", "\u00ad", "\u202e"


def taken(name: str) -> bool:
    try:
        create_account(name, PASSWORD, PASSWORD)
    except ValidationError:
        return True
    return False


@pytest.fixture
def admin() -> User:
    return create_account("admin", PASSWORD, PASSWORD, is_admin=True)


@pytest.mark.parametrize(
    "trick",
    [
        "Admin", "ADMIN", "aDMIN", " admin ", "admin\t",  # case, blanks
        "ａｄｍｉｎ", "ＡＤＭＩＮ", "𝐚𝐝𝐦𝐢𝐧", "𝒶𝒹𝓂𝒾𝓃", "ⓐⓓⓜⓘⓝ", "ᵃᵈᵐⁱⁿ",  # width and shape
        "аdmin", "аԁmin", "admіn", "αdmin", "admιn", "аԁміп",  # Cyrillic and Greek letters
        "admın", "ADMİN", "ADMıN",  # Turkish
        "ᴀᴅᴍɪɴ", "ɑdmin", "ꓮꓓꓟꓲꓠ", "admɨn",  # other letters
        f"ad{ZERO_WIDTH_SPACE}min", f"admin{ZERO_WIDTH_JOINER}", f"ad{SOFT_HYPHEN}min", f"{RIGHT_TO_LEFT}nimda",
        "admín", "ạdmin", "a\u0301dmin", "admi\u0323n", "adm\u0131\u0307n", "admin\u0307",  # accents
        "adrnin", "admln", "AdmIn", "adminʼ",  # similar in most fonts
        "admin\u3164", "admin\u115f", "admin\u1160\u1160", "admin\uffa0",  # invisible letters
        "adm丨n", "admㅣn", "admǀn", "aꝺmin", "admiŋ", "admꟾn",  # strokes and rarer letters
    ],
)  # fmt: skip
def test_no_trick_makes_a_second_admin(trick: str, admin: User) -> None:
    assert taken(trick)
    assert User.objects.count() == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [("сор", "cop"), ("cop", "сор"), ("οκο", "oko"), ("зоо", "ӡоо"), ("boss", "ƅoss"), ("ron", "ꭇon")],
)
def test_a_name_with_letters_that_look_like_those_of_another_is_refused(first: str, second: str) -> None:
    assert not taken(first)
    assert taken(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("kjaer", "kjær"), ("aeon", "ӕon"), ("boot", "bꝏt"), ("hello", "heǁo"), ("coeur", "cœur"), ("modem", "mode𑜀"),
        ("boss", "Ƅoss"), ("ron", "ᴦon"), ("boss", "boss."), ("boss", "boss_-"),
    ],
)  # fmt: skip
def test_a_letter_that_looks_like_others_makes_no_second_name(first: str, second: str) -> None:
    assert not taken(first)
    assert taken(second)
    assert likeness(first) == likeness(second) or len(scripts(second)) > 1


@pytest.mark.parametrize("name", ["b০ss", "b๐ss", "pau۱", "ѕο৩", "रम๑"])
def test_a_digit_of_another_alphabet_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="one alphabet"):
        clean_username(name)


@pytest.mark.parametrize("name", ["रम१०", "علي٣٤", "علی۷", "田中三", "田中〇", "bob7", "Зоя7", "٣٤"])
def test_a_digit_of_the_letters_own_alphabet_is_fine(name: str) -> None:
    assert clean_username(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "scheduler", "system", "command-line", "commandline",
        "Scheduler", "SYSTEM", "Command-Line", "COMMAND_LINE", "command.line",  # case, separators
        "sys-tem", "s.y.s.t.e.m", "system-", "system__", "command-.line", "sched_uler",
        "ѕуѕтем", "ｓｙｓｔｅｍ", "sÿstem", "schedu1er", "scheduIer", "cornrnand-line",  # letters
        "sch3duler", "sy5t3m", "comm4nd-line", "c0mmand_line", "5ystem",
        "command-Iine", "ѕⅽheduler", "ꜱystem", "sYSTEM",
    ],
)  # fmt: skip
def test_no_account_is_named_like_an_automatic_actor(name: str) -> None:
    assert taken(name)


def test_the_refusal_of_an_automatic_actors_name_gives_the_reason() -> None:
    with pytest.raises(ValidationError, match="reserved"):
        clean_username("System")


@pytest.mark.parametrize("name", ["systems", "system2", "ecosystem", "schedule", "commander", "line", "systemadmin"])
def test_names_that_only_resemble_an_automatic_actor_are_free(name: str) -> None:
    assert not taken(name)


def test_an_account_that_has_such_a_name_keeps_it(no_captcha: None, anonymous: ApiClient) -> None:
    user = make_user("system")
    assert user_changes.update(user.pk, {"display_name": "S"}, Actor("root", None)) is not None
    assert sign_in(anonymous, "system").status_code == 302


@pytest.mark.parametrize("name", ["administrator", "admins", "amin", "badmin", "ad.min", "admin2", "администратор"])
def test_names_that_only_resemble_it_are_free(name: str, admin: User) -> None:
    assert not taken(name)


@pytest.mark.parametrize(
    ("first", "second"),
    [("bob", "b0b"), ("b0b", "BOB"), ("admin", "adm1n"), ("paul", "pau1"), ("Ian", "1an"), ("зоо", "3oo")],
)
def test_a_digit_is_no_look_alike_of_a_letter(first: str, second: str) -> None:
    """Letters that look alike make a duplicate; a digit does not."""
    assert not taken(first)
    assert not taken(second)


@pytest.mark.parametrize(("first", "second"), [("Ian", "lan"), ("modern", "modem"), ("wim", "vvim"), ("ара", "apa")])
def test_letters_that_look_alike_still_collide(first: str, second: str) -> None:
    assert not taken(first)
    assert taken(second)


@pytest.mark.parametrize(
    "name",
    ["José", "Андрей", "Αλέξης", "田中", "たなか", "김철수", "tanaka田中", "o.brien-2", "שרה", "علي", "7up", "Łódź"],
)
def test_letters_of_any_script_make_a_name(name: str) -> None:
    assert not taken(name)


def test_kana_that_differ_in_their_marks_are_two_names() -> None:
    assert not taken("かき")
    assert not taken("がき")


@pytest.mark.parametrize("name", ["Pаul", "αlpha", "Pаvlоs", "abвг", "ալpha"])
def test_letters_of_two_alphabets_are_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="one alphabet"):
        clean_username(name)


@pytest.mark.parametrize("name", ["ab", "a" * 32, "a_.-b", "1a", "é2"])
def test_a_valid_name_is_accepted(name: str) -> None:
    assert clean_username(name) == name


@pytest.mark.parametrize(
    "name",
    ["", " ", "a", "a" * 33, "_ab", ".ab", "-ab", "a b", "a/b", "a@b", "a\x00b", "a\nb", "ab\n.", "a😀"]
    + ["ab\ud800", "¨a"],
)  # fmt: skip
def test_a_name_that_will_not_do(name: str) -> None:
    with pytest.raises(ValidationError):
        clean_username(name)


def test_a_name_is_kept_in_its_normal_form() -> None:
    assert create_account(" ﬁｎｎ ", PASSWORD, PASSWORD).username == "finn"


def test_the_case_that_was_typed_is_kept() -> None:
    assert create_account("McCoy", PASSWORD, PASSWORD).username == "McCoy"


def test_a_name_in_other_case_is_said_to_be_taken(admin: User) -> None:
    with pytest.raises(ValidationError, match="taken"):
        create_account("ADMIN", PASSWORD, PASSWORD)


def test_a_refused_name_does_not_reveal_whose_it_looks_like(admin: User) -> None:
    with pytest.raises(ValidationError, match="looks like that of another account") as error:
        create_account("admln", PASSWORD, PASSWORD)
    assert "admin" not in str(error.value)


@given(st.text(max_size=40))
def test_a_name_that_is_accepted_is_accepted_again_as_it_is(text: str) -> None:
    try:
        name = clean_username(text)
    except ValidationError:
        return
    assert clean_username(name) == name


@pytest.mark.parametrize("name", ["Ivan", "McCoy", "straße", "Ωμέγα", "Андрей", "Łódź"])
def test_case_never_changes_what_a_name_looks_like(name: str) -> None:
    assert likeness(name.upper()) == likeness(name.lower()) == likeness(name)
