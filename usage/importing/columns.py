"""Recognising what the columns of a file mean by their names, in several languages and spellings."""

from collections.abc import Iterable, Mapping, Sequence

from django.utils.translation import gettext_lazy

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.i18n import filled
from usage.importing.api_types import UnreadableAnswer
from usage.importing.letters import letters_of
from usage.importing.unreadable_file import UnreadableFile
from usage.incoming.values import text

# By field, without blanks and signs; a name before others wins. The last ones are the short form of the API.
_NAMES: dict[str, str] = {
    "request_id": (
        "requestid requestuuid reqid callid 请求id 请求编号 请求号 请求标识 请求标识符 请求识别码 调用id 调用编号 "
        "调用标识 呼叫id 呼叫编号 流水号 リクエストid 요청id anfrageid iddelarequête idderequête idrequête "
        "idsolicitud iddesolicitud uuid id"
    ),
    "credits": (
        "credits credit creditsused creditused usedcredits creditscost creditcost cost points 积分消耗 消耗积分 "
        "使用积分 积分使用 积分使用量 积分用量 花费积分 积分花费 消费积分 积分消费 已用积分 已使用积分 消耗积分数 "
        "积分消耗量 扣除积分 积分扣除 扣减积分 积分扣减 扣费积分 积分 积分数 消耗 扣除点数 消耗点数 "
        "使用点数 花费点数 点数消耗 点数使用 点数 クレジット 消費クレジット 使用クレジット 크레딧 guthaben "
        "crédits crédit créditos crédito c"
    ),
    "model": (
        "model modelname modelid 模型 模型名称 模型名 模型名字 使用模型 调用模型 模型id モデル モデル名 모델 modell "
        "modèle modelo m"
    ),
    "client": (
        "client clientname clienttype ide app application source 客户端 客户端名称 客户端类型 用户端 用户端名称 终端 "
        "应用程序 应用程式 应用 来源 クライアント 클라이언트 programm cliente cl"
    ),
    "time": (
        "ts requesttime time timestamp datetime calltime createdat createtime date 时间 请求时间 调用时间 使用时间 "
        "创建时间 建立时间 呼叫时间 发生时间 消耗时间 时间戳 时间戳记 日期时间 请求日期 使用日期 日期 日时 时刻 "
        "시간 zeit zeitpunkt datum heure horodatage fecha hora t"
    ),
    "prompt": (
        "prompt userprompt input text question 提示词 用户提示词 使用者提示词 输入 用户输入 使用者输入 输入内容 "
        "用户问题 使用者问题 提问 提问内容 プロンプト 프롬프트 eingabe invite"
    ),
    "excerpt": "inputtrunc promptexcerpt excerpt 提示词摘要 px",
    "truncated": "prompttruncated",
    "purpose": "agentpurpose purpose 用途 目的 zweck",
}
_KNOWN = {field: [letters_of(name) for name in names.split()] for field, names in _NAMES.items()}
FIELDS = tuple(_KNOWN)
NEEDED = ("request_id", "credits", "time")
# Those of a row that has a key of its content.
NEEDED_OF_KEYED = NEEDED[1:]
_HEADER_SHOWN = 64
_HEADERS_SHOWN = 100


def columns_of(headers: Iterable[str], by_hand: Mapping[str, str], needed: Sequence[str] = NEEDED) -> dict[str, str]:
    """The column of each field that the headers have; those named by hand win. A column without a name is none.

    Raises UnreadableFile where a field is missing that is `needed`, with `columns` and `headers` to choose from, and
    ApiError 400 `bad_request` for a column named by hand that is not in the file.
    """
    names = list(filter(None, headers))
    for name in filter(None, by_hand.values()):
        if name not in names:
            words = gettext_lazy("There is no column '%(name)s' in the file.")
            raise ApiError(400, "bad_request", filled(words, name=text(name[:_HEADER_SHOWN])))
    columns = recognised(names, by_hand)
    if missing := [field for field in needed if field not in columns]:
        words = gettext_lazy("No column is recognised for: %(fields)s. Name the columns by hand.")
        shown = {field: storable(columns).get(field) for field in FIELDS}
        offered = [text(name) for name in names if len(name) <= _HEADER_SHOWN][:_HEADERS_SHOWN]
        raise UnreadableFile(filled(words, fields=", ".join(missing)), UnreadableAnswer(columns=shown, headers=offered))
    return columns


def storable(columns: Mapping[str, str]) -> dict[str, str]:
    """The names of columns as they can be shown and stored: JSON may escape halves of characters in them."""
    return {field: text(name) for field, name in columns.items()}


def recognised(names: list[str], by_hand: Mapping[str, str]) -> dict[str, str]:
    """The column of each field that these names have; a longer name than any is none."""
    names = [name for name in names if len(name) <= _HEADER_SHOWN or name in by_hand.values()]
    columns = {field: name for field, name in by_hand.items() if name in names}
    free = {letters_of(name): name for name in reversed(names) if name not in columns.values()}
    for field, known in _KNOWN.items():
        found = next((free[name] for name in known if name in free), None)
        if found is not None and field not in by_hand:
            columns[field] = found
            del free[letters_of(found)]
    if "prompt" not in by_hand and letters_of(columns.get("prompt", "")) == "input" and "output" in free:
        # Both count tokens.
        del columns["prompt"]
    return columns


def mapping_of(given: Mapping[str, object]) -> dict[str, str]:
    """A mapping by hand, from fields to columns. Raises ApiError 400 `bad_request`."""
    for field, column in given.items():
        if field not in FIELDS or not isinstance(column, str):
            words = gettext_lazy("The columns must be an object that names a column for some of: %(fields)s.")
            raise ApiError(400, "bad_request", filled(words, fields=", ".join(FIELDS)))
    return {field: str(column) for field, column in given.items()}
