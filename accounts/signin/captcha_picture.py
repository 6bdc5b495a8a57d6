"""Drawing a captcha: readable by people, hard for simple text recognition, each one different."""

import io
import math
import secrets

from PIL import Image, ImageDraw, ImageFilter, ImageFont

HEIGHT = 64
_MARGIN = 14
_STEP = 34
_SCALE = 2

_random = secrets.SystemRandom()


def draw(answer: str) -> bytes:
    """A PNG of the answer: each glyph rotated, sized and placed at random, over waves, strokes and specks."""
    width = 2 * _MARGIN + _STEP * len(answer)
    paper = tuple(_random.randint(226, 250) for _ in range(3))
    image = Image.new("RGB", (width * _SCALE, HEIGHT * _SCALE), paper)
    _draw_strokes(image, behind=True)
    for place, character in enumerate(answer):
        _draw_glyph(image, character, (_MARGIN + _STEP * place) * _SCALE)
    _draw_strokes(image, behind=False)
    image = _bend(image, paper).resize((width, HEIGHT), Image.Resampling.LANCZOS)
    _draw_specks(image)
    out = io.BytesIO()
    image.filter(ImageFilter.SMOOTH).save(out, "PNG", optimize=True)
    return out.getvalue()


def _draw_glyph(image: Image.Image, character: str, left: int) -> None:
    size = _random.randint(36, 46) * _SCALE
    glyph = Image.new("L", (size * 2, size * 2), 0)
    font = ImageFont.load_default(size)
    ImageDraw.Draw(glyph).text(
        (size, size), character, 255, font=font, anchor="mm", stroke_width=_random.choice((0, 1))
    )
    glyph = glyph.rotate(_random.uniform(-28, 28), Image.Resampling.BICUBIC)
    shear = _random.uniform(-0.25, 0.25)
    glyph = glyph.transform(glyph.size, Image.Transform.AFFINE, (1, shear, -shear * size, 0, 1, 0))
    x = left + _STEP * _SCALE // 2 - size + _random.randint(-4, 4) * _SCALE
    y = HEIGHT * _SCALE // 2 - size + _random.randint(-6, 6) * _SCALE
    image.paste(_ink(), (x, y), glyph)


def _draw_strokes(image: Image.Image, *, behind: bool) -> None:
    """Curves over the whole width: as dark as the glyphs in front, paler behind."""
    draw = ImageDraw.Draw(image)
    for _ in range(4 if behind else 2):
        height, reach = _random.uniform(0.2, 0.8) * image.height, _random.uniform(0.1, 0.35) * image.height
        wave, shift = _random.uniform(0.7, 2.2) * 2 * math.pi / image.width, _random.uniform(0, 6)
        points = [(x, height + reach * math.sin(x * wave + shift)) for x in range(0, image.width, 4)]
        ink = tuple(_random.randint(150, 205) for _ in range(3)) if behind else _ink()
        draw.line(points, ink, width=_random.randint(2, 3 if not behind else 6))


def _draw_specks(image: Image.Image) -> None:
    draw = ImageDraw.Draw(image)
    for _ in range(image.width * HEIGHT // 45):
        draw.point((_random.randrange(image.width), _random.randrange(HEIGHT)), _ink())


def _bend(image: Image.Image, paper: tuple[int, ...]) -> Image.Image:
    """Bend the whole picture along a wave, row by row in thin bands."""
    bent = Image.new("RGB", image.size, paper)
    reach, wave, shift = _random.uniform(3, 7), _random.uniform(0.03, 0.06), _random.uniform(0, 6)
    band = 2
    for top in range(0, image.height, band):
        strip = image.crop((0, top, image.width, top + band))
        bent.paste(strip, (round(reach * math.sin(top * wave + shift)), top))
    return bent


def _ink() -> tuple[int, ...]:
    return tuple(_random.randint(20, 110) for _ in range(3))
