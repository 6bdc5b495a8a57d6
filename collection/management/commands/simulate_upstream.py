"""`manage.py simulate_upstream`: serve a simulated upstream on this machine until Ctrl-C."""

import argparse
import signal
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from collection.sources.codebuddy.simulator.simulator import FAULT_NAMES, QUIRK_SWITCHES, Simulator

DEFAULT_BIND = "127.0.0.1:8999"
# The data extends past the start, so that new calls appear while the command runs.
DAYS_AHEAD = 7


class Command(BaseCommand):
    """Starts a simulator, prints how to use it, and waits. Exit codes: 0 stopped, 1 could not start, 2 wrong usage."""

    help = "Serve the upstream usage API from this machine, over generated, repeatable data."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.epilog = f"faults: {', '.join(FAULT_NAMES)}\nquirks (NAME[:VALUE]): {', '.join(QUIRK_SWITCHES)}"
        parser.add_argument(
            "--bind", type=_address, default=DEFAULT_BIND, metavar="HOST:PORT", help="loopback only; port 0: a free one"
        )
        parser.add_argument("--accounts", type=_up_to(1000), default=1, metavar="N", help="how many accounts (1)")
        parser.add_argument("--days", type=_up_to(10_000), default=90, metavar="N", help="days of data up to now (90)")
        parser.add_argument(
            "--per-day", type=_up_to(100_000), default=50, metavar="N", help="about how many calls per day (50)"
        )
        parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the generated data (1)")
        parser.add_argument(
            "--fault", action="append", default=[], metavar="NAME[:RATE]", help="make requests fail; may be repeated"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        simulator = _simulator(options)
        try:
            simulator.start()
        except (OSError, OverflowError) as error:
            raise CommandError(f"cannot listen on {simulator.base_url}: {error}") from None
        # Both signals end the wait below in the same way, even where a shell set Ctrl-C to be ignored.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler)
        try:
            self._say_how_to_use(simulator, options["accounts"])
            threading.Event().wait()
        except KeyboardInterrupt:
            self.stdout.write("Stopped.")
        finally:
            simulator.stop()

    def _say_how_to_use(self, simulator: Simulator, accounts: int) -> None:
        self.stdout.write(f"Simulated upstream: {simulator.base_url}")
        for account in range(accounts):
            self.stdout.write(f"Cookie of account {account}: {simulator.cookie(account)}")
        self.stdout.write(f"To use it: manage.py config set api_base {simulator.base_url}")
        self.stdout.write(f"           manage.py config set api_path {simulator.path}")
        self.stdout.write("Stop it with Ctrl-C.")
        self.stdout.flush()


def _simulator(options: dict[str, Any]) -> Simulator:
    host, port = options["bind"]
    try:
        simulator = Simulator(
            accounts=options["accounts"],
            days=options["days"] + DAYS_AHEAD,
            per_day=options["per_day"],
            seed=options["seed"],
            host=host,
            port=port,
            until=datetime.now(UTC) + timedelta(days=DAYS_AHEAD),
        )
        for fault in options["fault"]:
            simulator.faults.switch_on(fault)
    except ValueError as error:
        raise CommandError(str(error)) from None
    return simulator


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT")
    return host.strip("[]"), int(port)


def _up_to(most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isdecimal() or len(text) > len(str(most)) or not 1 <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a whole number from 1 to {most}")
        return int(text)

    return read
