"""The text of a captcha."""

import secrets

# Without characters that are easily confused.
ALPHABET = "ABCDEFGHJKLMNPQRTUVWXY346789"

_random = secrets.SystemRandom()


def random_answer(length: int) -> str:
    return "".join(_random.choice(ALPHABET) for _ in range(length))
