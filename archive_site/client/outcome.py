"""How a command ends: its exit codes, and the failures that lead to them (docs/client.md#exit-codes)."""

from enum import IntEnum


class ExitCode(IntEnum):
    FINE = 0
    FAILED = 1
    USAGE = 2
    UNREACHABLE = 3
    REFUSED = 4
    SERVER = 5
    INTERRUPTED = 130
    # As a shell names the end of a program whose reader has gone.
    BROKEN_PIPE = 141


MEANINGS = {
    ExitCode.FINE: "done; with 'status --check': nothing is wrong",
    ExitCode.FAILED: "a check or a run failed, or a file cannot be written",
    ExitCode.USAGE: "wrong usage: an option, a value, no server or no token",
    ExitCode.UNREACHABLE: "the server cannot be reached, or its answer broke off",
    ExitCode.REFUSED: "the token was refused, or lacks the scope; also for a check that cannot see all",
    ExitCode.SERVER: "the server answered with an error, such as busy, or is none of this kind",
    ExitCode.INTERRUPTED: "interrupted by Ctrl-C",
}


class Failure(Exception):
    """Ends the command with this code and one line on standard error."""

    def __init__(self, code: ExitCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
