"""The words and options of the command."""

import re
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Callable
from typing import NoReturn

from archive_site import __version__
from archive_site.client.access import SERVER, TOKEN, TOKEN_FILE
from archive_site.client.outcome import MEANINGS

ORDERS = ("ts_desc", "ts_asc", "credits_desc", "credits_asc", "model_asc", "client_asc")
FORMATS = ("csv", "jsonl", "parquet")
_TIMEOUT, _LIMIT = 60.0, 50
# The API answers a larger number like this one.
_LARGEST_TOP = 1000
_ABOUT = f"""\
Reads and collects in an archive of usage, on this machine or another one.

The server and a token of the profile page come from options or from {SERVER},
{TOKEN} and {TOKEN_FILE}. Other people on this
machine can see options, so name the token by a variable or a file.
"""


class _Parser(ArgumentParser):
    """A parser whose errors do not repeat a token."""

    def error(self, message: str) -> NoReturn:
        super().error(re.sub(r"ua_[0-9A-Za-z]+", "ua_...", message))


def parser() -> _Parser:
    """The parser of all words; common options may stand before or after the verb."""
    whole = _Parser(
        prog="usage-archive", description=_ABOUT, epilog=_exit_codes(), allow_abbrev=False,
        formatter_class=RawDescriptionHelpFormatter, parents=[_common(is_first=True)],
    )  # fmt: skip
    whole.add_argument("--version", action="version", version=f"usage-archive {__version__}")
    verbs = whole.add_subparsers(title="commands", dest="verb", required=True, metavar="COMMAND")

    def verb(name: str, words: str, *parents: _Parser) -> _Parser:
        described = f"{words[0].upper()}{words[1:]}."
        common = [*parents, _common(is_first=False)]
        added: _Parser = verbs.add_parser(name, help=words, description=described, parents=common, allow_abbrev=False)
        return added

    days, sums, lists = _days(), _filters(), _list_filters()
    summary = verb("summary", "totals of some days, and of the days before", days, sums)
    summary.add_argument("--compare", metavar="WITH", help="previous, month, year, or days as 2026-01-01..2026-01-31")
    verb("daily", "sums of each day", days, sums)
    top = verb("top", "the most expensive calls", days, sums)
    top.add_argument("-n", type=_count(_LARGEST_TOP), metavar="NUMBER", help=f"how many, at most {_LARGEST_TOP} (50)")
    records = verb("records", "a list of calls", days, sums, lists)
    records.add_argument("--limit", type=_count(), default=_LIMIT, metavar="NUMBER", help=f"how many ({_LIMIT})")
    records.add_argument("--all", action="store_const", const=None, dest="limit", help="without a limit")
    _export(verb("export", "the calls as a file", days, sums, lists))
    collect = verb("collect", "start a collection", days)
    collect.add_argument("--wait", action="store_true", help="until it has ended, and say what came")
    status = verb("status", "cookie, collections, missing days, budgets")
    status.add_argument("--check", action="store_true", help="say only what is wrong, and exit with 1 then")
    # `command_line` takes it before it comes here.
    verbs.add_parser("manage", help="administer the instance on this machine: 'usage-archive manage help'")
    return whole


def _common(*, is_first: bool) -> _Parser:
    """Options of all verbs. Where they follow the verb they have no defaults, which would replace what stood before."""

    def usual(value: object) -> object:
        return value if is_first else SUPPRESS

    common = _Parser(add_help=False)
    group = common.add_argument_group("server and output")
    group.add_argument("--server", default=usual(None), metavar="ADDRESS", help="such as https://usage.example.org")
    group.add_argument("--token", default=usual(None), help="others on this machine can see it here")
    group.add_argument("--token-file", default=usual(None), metavar="FILE", help="a file that holds the token")
    group.add_argument("--timeout", type=_seconds, default=usual(_TIMEOUT), metavar="SECONDS",
                       help=f"how long the server may be silent ({_TIMEOUT:g})")  # fmt: skip
    group.add_argument("--json", action="store_true", default=usual(False), help="the server's answer, for programs")
    return common


def _days() -> _Parser:
    days = _Parser(add_help=False)
    days.add_argument("--from", metavar="DAY", help="the first day, as 2026-09-01")
    days.add_argument("--to", metavar="DAY", help="the last day")
    return days


def _filters() -> _Parser:
    filters = _Parser(add_help=False)
    group = filters.add_argument_group("filters")
    for name in ("model", "client", "purpose"):
        group.add_argument(f"--{name}", action="append", help=f"only of this {name}; may be repeated")
        group.add_argument(f"--no-{name}", action="store_const", const="1", help=f"only without a {name}")
    return filters


def _list_filters() -> _Parser:
    filters = _Parser(add_help=False)
    group = filters.add_argument_group("filters of lists")
    group.add_argument("--q", metavar="TEXT", help="whose prompt contains this text")
    free = group.add_mutually_exclusive_group()
    free.add_argument("--free", action="store_const", const="1", dest="free", help="only free calls")
    free.add_argument("--billed", action="store_const", const="0", dest="free", help="only others")
    prompt = group.add_mutually_exclusive_group()
    prompt.add_argument("--with-prompt", action="store_const", const="1", dest="with_prompt")
    prompt.add_argument("--without-prompt", action="store_const", const="0", dest="with_prompt")
    group.add_argument("--credits-above", metavar="CREDITS", help="only calls that cost more")
    group.add_argument("--hour", metavar="HOUR", help="only of this hour of each day, 0 to 23")
    group.add_argument("--order", choices=ORDERS, help=f"{ORDERS[0]} without it")
    group.add_argument("--columns", choices=("purpose",), help="adds the purpose")
    return filters


def _export(export: _Parser) -> None:
    export.add_argument("--format", choices=FORMATS, help="else by the ending of the file's name, else csv")
    export.add_argument("--lang", choices=("en", "zh-hans"), default="en", help="the header of CSV (en)")
    export.add_argument(
        "-o", "--output", type=_file, metavar="FILE", help="else, and for -, standard output; appears when complete"
    )
    export.add_argument("--force", action="store_true", help="replace a file that is there")


def _count(most: int = 10**9 - 1) -> Callable[[str], int]:
    def count(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,9}", text) or not 1 <= int(text) <= most:
            raise ArgumentTypeError(f"a whole number from 1 to {most} is wanted")
        return int(text)

    return count


def _file(text: str) -> str:
    if not text:
        raise ArgumentTypeError("the name of a file is wanted, or - for standard output")
    return text


def _seconds(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", text) or float(text) == 0:
        raise ArgumentTypeError("a number of seconds above 0 is wanted")
    return float(text)


def _exit_codes() -> str:
    return "exit codes:\n" + "\n".join(f"  {code:<4}{words}" for code, words in MEANINGS.items())
