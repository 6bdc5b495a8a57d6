"""The kinds that the kit plays: each has its player (docs/sources.md#adding-a-kind)."""

from tests.sources.codebuddy.player import PLAYER as CODEBUDDY
from tests.sources.litellm.player import PLAYER as LITELLM
from tests.sources.new_api.player import PLAYER as NEW_API
from tests.sources.openrouter.player import PLAYER as OPENROUTER

PLAYERS = {"codebuddy": CODEBUDDY, "litellm": LITELLM, "new-api": NEW_API, "openrouter": OPENROUTER}
