"""Password hashing."""

from django.contrib.auth.hashers import Argon2PasswordHasher


class Argon2Hasher(Argon2PasswordHasher):
    """Argon2id with OWASP's parameters; Django's default takes 100 MiB per sign-in."""

    memory_cost = 19 * 1024
    time_cost = 2
    parallelism = 1
