"""Comparing what people and programs write, whatever its signs, blanks, width, case and Chinese script."""

import re

from archive_site.lib.normal_form import normal_form

# The characters of Traditional Chinese, and of Japanese, in the names that `columns` and `request_ids` compare.
_SIMPLIFIED = str.maketrans(
    "請編號標識別碼調積點數稱戶戸終來時間創記詞輸問題費應類額發內總総計匯彙無暫適據減該資沒",
    "请编号标识别码调积点数称户户终来时间创记词输问题费应类额发内总总计汇汇无暂适据减该资没",
)
# Letters for Unicode, but empty on the screen: the fillers of Korean.
_SIGNS = re.compile("[\\W_\u115f\u1160]+")


def letters_of(text: str) -> str:
    """The letters and digits of a text: of plain width, in small letters and simplified characters."""
    return _SIGNS.sub("", normal(text)).translate(_SIMPLIFIED)


def normal(text: str) -> str:
    """The text in plain width and small letters."""
    return text.lower() if text.isascii() else normal_form("NFKC", text).casefold()
