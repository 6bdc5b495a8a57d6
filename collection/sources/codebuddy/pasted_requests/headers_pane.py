"""The headers pane of the developer tools of Chrome, Edge, Firefox and Safari, copied as text.

It has the URL, and the headers of the answer and of the request under headings; name and value are on one line or two.
"""

import re
from collections.abc import Iterator

from collection.sources.codebuddy.pasted_requests.copied_request import CopiedRequest, Form, host_of, of_headers

# The words of the browsers in English, Simplified and Traditional Chinese.
_URL = r"request url|请求 ?(?:网址|url)|請求網址|要求 ?(?:網址|url)"
_SUMMARY = (
    r"request method|status code|remote address|referrer policy|请求方法|状态代码|状态码|远程地址|引荐来源网址政策"
    r"|要求方法|狀態碼|遠端位址"
)
_OF_REQUEST = r"request(?: headers)?|请求(?:标头|头)|請求標頭|要求標頭"
_OF_OTHERS = (
    r"response(?: headers)?|响应(?:标头|头)|回應標頭|query string parameters|form data|request payload"
    r"|查询字符串参数|表单数据|请求载荷"
)
_BEGIN = r"general|summary|常规|一般|摘要"
# Behind a heading stand the number or the size of the headers, and a switch.
_HEADING = re.compile(
    rf"(?:[▼▾▶▸] ?)?(?:{_OF_REQUEST}|(?P<other>{_OF_OTHERS})|{_BEGIN}) ?(?:[(（][^)）]*[)）])? ?[:：]? ?"
    r"(?:raw|view source|view parsed|原始|查看源代码)?",
    re.IGNORECASE,
)
_LABEL = re.compile(rf"(?:{_URL}|{_SUMMARY}) ?(?:[:：].*)?", re.IGNORECASE)
_URL_LINE = re.compile(rf"(?:{_URL}|url|get|post) ?[:：]? ?(?P<url>https?://\S*)?", re.IGNORECASE)
_HEADER = re.compile(r"(?P<name>:?[a-z][\w-]*)(?::[ \t]*(?P<value>\S.*)|:?)", re.IGNORECASE)
_HOSTS = ("host", ":authority")
_WANTED = frozenset({"cookie", "user-agent", "set-cookie", *_HOSTS})
_LONGEST_HEADING = 60


def _begins(text: str) -> object:
    first, _, rest = text.partition("\n")
    if not rest:
        return None
    follows = rest.lstrip().partition("\n")[0]
    return _heading(first) or _LABEL.fullmatch(_spaced(first)) or _url(first, follows)


def _requests(text: str, _: str) -> Iterator[CopiedRequest]:
    host, headers = "", list[tuple[str, str]]()
    for name, value in _found(text):
        if name in _HOSTS:
            host = host or host_of(f"https://{value}")
        elif name != "url":
            headers.append((name, value))
        else:
            if headers:
                yield of_headers(host, headers)
            host, headers = host_of(value), []
    yield of_headers(host, headers)


def _found(text: str) -> Iterator[tuple[str, str]]:
    """The URL, the wanted headers of the request, and the cookies of the answer."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    is_of_request = True
    for number, line in enumerate(lines):
        follows = lines[number + 1].strip() if number + 1 < len(lines) else ""
        if heading := _heading(line):
            is_of_request = not heading["other"]
        elif url := _url(line, follows):
            yield "url", url
        elif header := _HEADER.fullmatch(line):
            name = header["name"].lower()
            if name in _WANTED and (is_of_request or name == "set-cookie"):
                yield name, header["value"] or ("" if _heading(follows) else follows)


def _heading(line: str) -> re.Match[str] | None:
    return _HEADING.fullmatch(_spaced(line)) if len(line) < _LONGEST_HEADING else None


def _url(line: str, follows: str) -> str:
    """The URL that a line names, or the next one; empty if this is no such line."""
    found = _URL_LINE.fullmatch(_spaced(line))
    url = (found["url"] or follows) if found else ""
    return url if url.startswith(("http://", "https://")) else ""


def _spaced(line: str) -> str:
    return " ".join(line.split())


FORM = Form(_begins, _requests)
