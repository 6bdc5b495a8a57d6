"""Finding the encoding of a file that does not name it (docs/decisions/files.md#the-encoding-of-a-file)."""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cache

from django.utils.translation import gettext_lazy

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.i18n import filled
from usage.importing.api_types import UnreadableAnswer
from usage.importing.common_characters import COMMON
from usage.importing.file_source import Source
from usage.importing.unreadable_file import UnreadableFile

# The codecs of Python by the names that are shown and chosen. Korean is only taken by its names of columns.
_CODECS = {
    "utf-8": "utf-8-sig", "gb18030": "gb18030", "big5": "cp950", "windows-1252": "cp1252", "shift-jis": "cp932",
    "euc-kr": "cp949",
}  # fmt: skip
NAMES = tuple(_CODECS)
# UTF-32 before UTF-16, whose mark is the beginning of that of the other.
_MARKS = (
    *((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32")),
    *((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")),
)
# A pattern may match each letter of a text without words; each match takes some 80 bytes.
_PIECE = 64 * 1024
# A text may hold as many NUL characters in its beginning; each makes its row unreadable.
_FEW_NULS = 10
_ASCII = re.compile("[\x00-\x7f]+")
# Bytes that are no UTF-8, as one sign for each, and the beginnings of characters that were cut.
_BAD = re.compile("[\udce0-\udcf4][\udc80-\udcbf]{1,2}|[\udc80-\udcff]")
_LONG = re.compile("[\u0800-\ud7ff\ue000-\U0010ffff]")
# One in this many characters may be a seldom one, and where the names of the columns need an encoding.
_SELDOM, _SELDOM_WITH_NAMES = 50, 4
_LETTERS = "À-ÖØ-öø-ÿŒœŠšŽžŸ"
_WESTERN = (
    *map(chr, range(0xA0, 0x100)),
    *"€‚„…Š‹ŒŽ‘’“”•–—™š›œžŸ",
)
_CAPITALS, _SMALL_LETTERS = "À-ÖØ-ÞŒŠŽŸ", "a-zß-öø-ÿœšž"
# No western text: runs of letters with marks, such letters alone in a word, capitals behind small letters or within a
# word, letters of few languages, and signs where only letters can be.
_NOT_WESTERN = re.compile(
    rf"[^\x00-\x7f]{{3,}}|(?<![A-Za-z{_LETTERS}])[{_LETTERS}]{{2,}}(?![A-Za-z{_LETTERS}])|[{_SMALL_LETTERS}][{_CAPITALS}]"
    rf"|(?<=[A-Z{_CAPITALS}])[{_CAPITALS}](?=[{_SMALL_LETTERS}])|(?<=[A-Za-z])[‚„]"
    rf"|(?<=[A-Za-z{_LETTERS}])[•„™”§¶¿¤¢£¥¦ª¬¨¸º†‡‰²³¹±¼½¾µ¡](?=[A-Za-z{_LETTERS}])"
    r"|[ÞþÐðÝý]"
)
# Signs between letters, or before one, that western texts seldom have: letters of Mac Roman and of code pages of DOS.
# Letters with marks of Windows-1252 prove a text, which has none of the two at once.
_SIGN_OF_OTHERS = re.compile(
    rf"(?<=[A-Za-z{_LETTERS}])[–‹›…‘\xa0](?=[{_SMALL_LETTERS}])|(?<![A-Za-z{_LETTERS}])™(?=[a-z])"
)
# Quotes that begin, and that end: where none ends, those that begin are letters.
_OPENED = re.compile(rf"(?<![A-Za-z{_LETTERS}])[‘„”‹›](?=[a-z])")
_CLOSED = re.compile(rf"(?<=[A-Za-z{_LETTERS}.!?…])[’“”‹›]")
_MARKED = re.compile("[A-Za-z][à-öø-ÿ]|[à-öø-ÿ][a-z]")
# A sign that is a word, and a western letter within one: only beside these such signs are words of western languages.
_ALONE = re.compile(rf"(?<![A-Za-z{_LETTERS}])[{_LETTERS}×÷¡ªº²³¹](?![A-Za-z{_LETTERS}])")
_WITHIN = re.compile(rf"[A-Za-z][{_LETTERS}]|[{_LETTERS}][A-Za-z]")
_RUN = re.compile("[^\x00-\x7f]+")
# A single character that took the letter behind it, as those of another writing do.
_LONE = re.compile(r"(?<![^\x00-\x7f])[^\x00-\x7f](?=[a-z])|(?<=[A-Za-z])[^\x00-\x7f](?![^\x00-\x7f])")
# All syllables of Korean lie where simplified Chinese has its usual characters.
_HANGUL = re.compile("[가-힣]")
_KOREAN = 8

_KANA = re.compile("[ぁ-ヺ]")
_IDEOGRAPHS = re.compile("[\u4e00-\u9fff]")
# The least share of common characters in a Chinese text.
_COMMON = (3, 4)
# EUC-JP, which is not read, has kana where Big5 has usual characters.
_KANA_RUN = re.compile("[ぁ-ヺー]{3}")
# Half-width kana are the bytes of any other eastern text, but seldom of so long a run.
_HALF_WIDTH_RUN = re.compile("[\uff66-\uff9f]{5,}")

Named = Callable[[str], Iterable[str] | None]


@dataclass(frozen=True)
class Encoding:
    """An encoding by its name and its codec; `is_damaged`: some bytes are none of its characters."""

    name: str
    is_damaged: bool = False

    @property
    def codec(self) -> str:
        return _CODECS.get(self.name, self.name)


def encoding_of(source: Source, chosen: str, named: Named) -> Encoding:
    """The encoding of a file: that of its mark, else the chosen one, else the only one that it can be.

    `named` gives the names of the recognised columns in a codec, None where they are not recognised. Raises
    UnreadableFile, with `encodings` to choose from where several or none fit, and ApiError 400 `bad_request` for an
    unknown choice.
    """
    if chosen and chosen not in NAMES:
        words = gettext_lazy("'encoding' can only be one of: %(names)s.")
        raise ApiError(400, "bad_request", filled(words, names=", ".join(NAMES)))
    head = source.head()
    if not head.strip(b" \t\r\n\xef\xbb\xbf"):
        raise UnreadableFile(gettext_lazy("The file is empty."))
    marked = next((name for mark, name in _MARKS if head.startswith(mark)), None)
    if marked not in ("utf-16", "utf-32") and (b"\0" in head.partition(b"\n")[0] or head.count(b"\0") > _FEW_NULS):
        raise UnreadableFile(gettext_lazy("It is not a text file."))
    name = marked or chosen or "utf-8"
    if _is_whole(source, name):
        return Encoding(name)
    if marked or chosen or _is_damaged_utf8(source):
        return Encoding(name, is_damaged=True)
    return Encoding(_only_fitting(source, named))


def _only_fitting(source: Source, named: Named) -> str:
    whole = [name for name in NAMES[1:] if _is_whole(source, name)]
    fitting = [name for name in whole if _is_plausible(source, name, named(_CODECS[name]))]
    if len(fitting) == 1 and _is_sure(source, fitting[0], named(_CODECS[fitting[0]]) or ()):
        return fitting[0]
    offered = sorted(NAMES, key=lambda name: (name not in fitting, name not in whole))
    words = (
        gettext_lazy("Its encoding is not certain. Choose it; it may be: %(names)s.")
        if fitting
        else gettext_lazy("Its encoding is not recognised. Choose one: %(names)s.")
    )
    raise UnreadableFile(filled(words, names=", ".join(fitting or offered)), UnreadableAnswer(encodings=offered))


def _is_plausible(source: Source, name: str, columns: Iterable[str] | None) -> bool:
    """Whether the columns of a file are recognised in an encoding, and its characters are usual ones there."""
    if columns is None:
        return False
    # Names that are found by other letters than those of ASCII are no chance.
    if not all(map(str.isascii, columns)):
        # Chinese and Korean encodings have kana where EUC-JP has them.
        is_of_others = name != "shift-jis" and any(map(_KANA.search, columns))
        return not is_of_others and (name == "euc-kr" or _has_usual(source, name, _SELDOM_WITH_NAMES))
    if name == "euc-kr":
        return False
    return _is_western(source) if name == "windows-1252" else _is_eastern(source, name)


def _is_sure(source: Source, name: str, columns: Iterable[str]) -> bool:
    """Whether a text is no short one of an encoding that is not read, such as EUC-JP, KOI8-R or those of Thai."""
    if name == "windows-1252" or not all(map(str.isascii, columns)):
        return True
    if name == "shift-jis":
        return any(map(_KANA.search, _texts(source, name)))
    letters = common = 0
    for text in _texts(source, name):
        found = _IDEOGRAPHS.findall(text)
        letters += len(found)
        common += sum(sign in COMMON for sign in found)
    return letters > 0 and common * _COMMON[1] >= letters * _COMMON[0]


def _is_western(source: Source) -> bool:
    name = "windows-1252"

    def has(what: re.Pattern[str]) -> bool:
        return any(map(what.search, _texts(source, name)))

    if has(_ALONE) and not has(_WITHIN):
        return False
    if (has(_SIGN_OF_OTHERS) or (has(_OPENED) and not has(_CLOSED))) and not has(_MARKED):
        return False
    return not has(_NOT_WESTERN) and _has_usual(source, name)


def _is_eastern(source: Source, name: str) -> bool:
    runs = lone = 0
    for text in _texts(source, name):
        runs += len(_RUN.findall(text))
        lone += len(_LONE.findall(text))
    if lone * 2 > runs or not _has_usual(source, name):
        return False
    if name == "big5" and _is_euc_jp(source):
        return False
    return name != "gb18030" or not _is_korean(source)


def _has_usual(source: Source, name: str, share: int = _SELDOM) -> bool:
    characters = seldom = 0
    for text in _texts(source, name):
        letters = _ASCII.sub("", text)
        characters += len(letters)
        if name == "shift-jis":
            letters = _HALF_WIDTH_RUN.sub("", letters)
        seldom += len(letters.translate(_usual(name)))
    return seldom * share <= characters


def _is_euc_jp(source: Source) -> bool:
    try:
        return any(map(_KANA_RUN.search, _texts(source, "euc_jp")))
    except UnicodeError:
        return False


def _is_korean(source: Source) -> bool:
    """Whether a text is all syllables in Korean, where Chinese has few by chance."""
    syllables = others = 0
    try:
        for text in _texts(source, "euc-kr"):
            letters = _ASCII.sub("", text)
            syllables += len(_HANGUL.findall(letters))
            others += len(letters)
    except UnicodeError:
        return False
    return syllables >= _KOREAN and syllables * 10 >= others * 9


def _is_whole(source: Source, name: str) -> bool:
    try:
        for _ in _texts(source, name):
            pass
    except UnicodeError:
        return False
    return True


def _is_damaged_utf8(source: Source) -> bool:
    """Whether a text is UTF-8 but for single bytes: another encoding has few long characters of UTF-8 by chance.

    So it is where all bad bytes are beginnings of characters that were cut.
    """
    bad = cut = long = others = 0
    for text in _texts(source, "utf-8", "surrogateescape"):
        # Bytes of two characters with letters between them are no character that was cut.
        letters = _ASCII.sub(" ", text)
        found = _BAD.findall(letters)
        bad += len(found)
        cut += sum(len(each) > 1 for each in found)
        long += len(_LONG.findall(letters))
        others += len(_BAD.sub("x", letters).replace(" ", ""))
    return bad <= long or bad * 3 <= others or bad == cut


def _texts(source: Source, name: str, errors: str = "strict") -> Iterator[str]:
    """The text in pieces, which end with a line where one ends in them. Raises UnicodeError."""
    decoder = codecs.getincrementaldecoder(_CODECS.get(name, name))(errors)
    with closing(source.open()) as file:
        begun = ""
        while piece := file.read(_PIECE):
            text = begun + decoder.decode(piece)
            end = text.rfind("\n") + 1 or len(text)
            begun = text[end:]
            yield text[:end]
        yield begun + decoder.decode(b"", final=True)


@cache
def _usual(name: str) -> dict[int, None]:
    """The characters that most texts in an encoding consist of, as a table that removes them."""
    if name == "windows-1252":
        return dict.fromkeys(map(ord, _WESTERN))
    if name == "big5":
        # Signs, and the characters of the first level.
        pairs, codec = [(lead, trail) for lead in range(0xA1, 0xC7) for trail in range(0x40, 0xFF)], "cp950"
    else:
        # Rows of both standards: signs, Latin letters and the first level of characters; in Japanese also kana.
        is_chinese = name == "gb18030"
        rows, codec = ((1, 2, 3, *range(16, 56)), "gb2312") if is_chinese else ((1, 3, 4, 5, *range(16, 48)), "euc_jp")
        pairs = [(0xA0 + row, 0xA0 + cell) for row in rows for cell in range(1, 95)]
    return dict.fromkeys(ord(sign) for pair in pairs for sign in bytes(pair).decode(codec, "ignore"))
