"""The password prompt of commands: typed twice on a terminal, or one line of standard input."""

import getpass
import sys

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.passwords.password_warnings import warning


def add_password_argument(parser: CommandParser) -> None:
    parser.add_argument(
        "--password-stdin", action="store_true", help="read the password from standard input, as one line"
    )


def ask_for_password(from_stdin: bool) -> tuple[str, str]:
    """The password and its repetition. Raises CommandError if there is no terminal and `from_stdin` is false."""
    if from_stdin:
        return _one_line()
    if not sys.stdin.isatty():
        raise CommandError("No terminal to ask for the password: use --password-stdin.")
    try:
        return getpass.getpass("Password: "), getpass.getpass("Password again: ")
    except (EOFError, KeyboardInterrupt):
        raise CommandError("No password was given; nothing was changed.") from None


def warn_of(command: BaseCommand, password: str, username: str) -> None:
    """Print on standard error why the password is easy to guess, if it is."""
    words = warning(password, username)
    if words:
        command.stderr.write(f"Warning: {words}")


def _one_line() -> tuple[str, str]:
    try:
        password = sys.stdin.readline().rstrip("\r\n")
    except UnicodeDecodeError:
        raise CommandError("The password is not text in this terminal's encoding.") from None
    return password, password
