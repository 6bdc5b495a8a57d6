"""Mail to an address with a name of other letters (SMTPUTF8, RFC 6531). Only the child loads this module."""

import smtplib
from collections.abc import Sequence
from typing import Any

_OPTIONS = ("SMTPUTF8", "BODY=8BITMIME")


def stand_in_for(mailbox: str) -> str:
    """An address to give to the library, which takes no such name; all mails of this process then go to the mailbox.

    A server without SMTPUTF8 gets none.
    """
    stand_in = f"receiver@{mailbox.rpartition('@')[2]}"
    send = smtplib.SMTP.sendmail

    def send_in_utf8(self: smtplib.SMTP, sender: str, _: Sequence[str], message: str) -> Any:
        named = message.replace(f"\nTo: {stand_in}", f"\nTo: {mailbox}", 1)
        # Line ends are those of mail only in texts.
        content = "\r\n".join(named.splitlines()).encode()
        return send(self, sender, [mailbox], content, mail_options=_OPTIONS)

    smtplib.SMTP.sendmail = send_in_utf8  # type: ignore[assignment,method-assign]
    return stand_in
