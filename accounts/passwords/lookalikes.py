"""Names that look alike: letters of any script, with any accent, that people confuse.

Digits do not count as look-alikes of letters: `b0b` is allowed beside `bob`
(docs/decisions/accounts.md#names-that-look-alike).
"""

import re
import unicodedata

from accounts.models import username_key
from archive_site.lib.normal_form import normal_form

# Letters of these scripts often stand beside Latin ones and look unlike them.
_EAST_ASIAN = frozenset({"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC"})
_LATIN_LETTER = re.compile(r"LATIN (?:SMALL |CAPITAL )?LETTER (?:[A-Z]+ )*?([A-Z])(?: WITH .+)?")
# From Unicode's table of confusable characters: letters that look like a Latin letter in either case.
_LIKE_LATIN = str.maketrans(
    "ɑɩʏʋɣŋǀꟾ"  # Latin itself
    "丨ᅵㅣᄋᆼㅇ〇"  # strokes and rings of East Asia
    "ѕіјабвгезкмнопрстухьѡѵүһҽӏӡԁԍԛԝ"
    "αβγεζηικμνορστυχϝϲϳϻᴦ"
    "ագհոռսցքօ"
    "ᎠᎡᎢᎥᎩᎪᎫᎬᎱᎳᎷᎻᎽᏀᏂᏃᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏳᏴ"
    "ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ"
    "ⲅⲏⲓⲕⲙⲛⲟⲣⲥⲧⲩⲭ"
    # Letters of other scripts, and more of Latin itself.
    "𑜆𑜊𑜎𑜏զտꛟᑲᖯᑯᕁᕽᗅᗷᗞᗪᖴᕼᒍᒪᗰᑭᖇᑌᐯ𐊠𐊡𐊢𐊥𐋏𐊰𐊫𐊱𐊴𐊲ⳑ𐋵ꙇ𐐽𐐬𐑈𐑃"
    "𐔜𐔥𐔘𐔦𐔓𐔖𐔝𐔧ዐሀჿყƅẝƍꭇƽꞟɯᶌꞵꭓ𐊊𐊂𐊆𐊇𐊒𐊕𐊖𐊗𐊐ഠ𖼨𖽀𖼖𖼵𖼺𖼊𖽂𖼈𖽃ဝ"
    "𐌠𐌉𐌁𐌂𐌑𐌕𐌢𐌗ଠ𐓪𐓶𐓜ᛁᛕᛖᚷⵏⴹⵔⵕⴸⵝ𑣃𑣈𑣗𑣁𑣘𑣀𑣜𑣄𑣲𑣆𑣎𑣂𑣒𑣕𑣯𑣬𑣉",
    "aiyvynli"
    "llloooo"
    "sijabbreзkmhonpctyxbwvyheiзdgqw"
    "abyezhikmvopotuxfcjmr"
    "wqhnnugfo"
    "drtiyajerwmhyghzbrwsvslcpkdgb"
    "bpddtgkjczfmnlsrvhwxyaelou"
    "rhlkmnopctyx"
    "vwwwqsvbbdxxabddfhjlmpruvabcfhmotxylzicosl"
    "cfklnovxouoybfgrsuwybxlbefopstxolalrstuvyo"
    "llbcmtxxoourlkmxleoqvxioosuvyzceeflowxz",
)  # fmt: skip
# Letters that look like two Latin ones.
_LIKE_TWO = {
    ord(letter): two
    for two, letters in {
        "aa": "ꜳ", "ae": "æӕ", "ao": "ꜵ", "au": "ꜷ", "av": "ꜹꜻ", "ay": "ꜽ", "bl": "ы", "dz": "ʣ", "ll": "ǁ", "ls": "ʪ",
        "lz": "ʫ", "oe": "œ", "oo": "ꝏꚙ", "rn": "𑜀", "tf": "ꝷ", "ts": "ʦ", "ue": "ᵫ", "uo": "ꭣ",
    }.items()
    for letter in letters
}  # fmt: skip
# The digits of Arabic are named by other words than its letters.
_ALPHABETS_OF_DIGITS = {"ARABIC-INDIC": "ARABIC", "EXTENDED": "ARABIC"}
# Actors of the audit log that are no accounts; `system` is kept free for another.
_AUTOMATIC_ACTORS = ("scheduler", "system", "commandline", "notices")
# Digits that look like letters, which counts in names of automatic actors only.
_LIKE_DIGITS = str.maketrans("013457", "oleast")
# A capital I and a small l look the same, and names are compared without case.
_TAKEN_FOR_EACH_OTHER = str.maketrans("i", "l")


def scripts(name: str) -> set[str]:
    """The alphabets of a name's letters and digits, without those of East Asia and the digits 0 to 9."""
    signs = (sign for sign in name if sign.isalpha() or (sign.isnumeric() and not sign.isascii()))
    alphabets = {unicodedata.name(sign, "?").split()[0] for sign in signs}
    return {_ALPHABETS_OF_DIGITS.get(alphabet, alphabet) for alphabet in alphabets} - _EAST_ASIAN


def likeness(name: str) -> str:
    """A key that is equal for names that look alike; not a name itself."""
    plain = normal_form("NFD", username_key(name)).translate(_LIKE_TWO).translate(_LIKE_LATIN)
    letters = "".join(map(_plain, plain)).translate(_TAKEN_FOR_EACH_OTHER)
    # A dot or a line at the end is easily overlooked.
    return letters.replace("rn", "m").replace("vv", "w").rstrip("._-")


def looks_like_automatic_actor(name: str) -> bool:
    """Whether the name, without its separators, looks like an actor of the audit log that is no account."""
    together = re.sub(r"[\W_]", "", username_key(name)).translate(_LIKE_DIGITS)
    return likeness(together) in set(map(likeness, _AUTOMATIC_ACTORS))


def _plain(character: str) -> str:
    if character.isascii():
        return character
    if "\u0300" <= character <= "\u036f":
        return ""
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    name = unicodedata.name(character, "")
    latin = _LATIN_LETTER.fullmatch(name)
    if latin:
        return latin[1].lower()
    return "" if name.startswith("MODIFIER") else character
