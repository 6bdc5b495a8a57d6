"""How captchas are drawn."""

import io

import pytest
from PIL import Image, ImageChops

from accounts.signin import captcha_picture
from accounts.signin.captcha import ALPHABET, random_answer
from accounts.signin.captcha_picture import draw


def opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("L")


@pytest.mark.parametrize("length", range(3, 9))
def test_an_answer_is_as_long_as_asked_and_of_the_alphabet(length: int) -> None:
    answer = random_answer(length)
    assert len(answer) == length
    assert set(answer) <= set(ALPHABET)


def test_answers_are_not_the_same_again_and_again() -> None:
    assert len({random_answer(8) for _ in range(50)}) == 50


def test_no_two_characters_are_taken_for_one_another() -> None:
    assert not set("01OI2Z5S") & set(ALPHABET)


def test_the_same_answer_is_never_drawn_alike() -> None:
    assert len({draw("AB34") for _ in range(10)}) == 10


@pytest.mark.parametrize("length", [3, 8])
def test_a_longer_answer_has_a_wider_picture_of_the_same_height(length: int) -> None:
    picture = opened(draw("A" * length))
    assert picture.height == captcha_picture.HEIGHT
    assert 30 * length < picture.width < 50 * length


def test_the_glyphs_lie_within_the_picture() -> None:
    picture = opened(draw("WWWW"))
    dark = picture.point(lambda value: 255 if value < 120 else 0)
    box = dark.getbbox()
    assert box is not None
    assert box[2] - box[0] > picture.width / 2


def test_two_pictures_of_one_answer_differ_much() -> None:
    difference = ImageChops.difference(opened(draw("AB34")), opened(draw("AB34")))
    changed = sum(count for value, count in enumerate(difference.histogram()) if value > 40)
    assert changed > difference.width * difference.height / 10


def test_a_picture_is_small() -> None:
    assert len(draw("A" * 8)) < 120_000
