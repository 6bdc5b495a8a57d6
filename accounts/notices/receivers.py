"""Where an account's notices go: its addresses, and those of its webhooks that it chose for them."""

from accounts.delivery import addresses, stored_webhooks
from accounts.delivery.addresses import StoredAddress
from accounts.delivery.stored_webhooks import Place


def of_account(user_id: int) -> list[StoredAddress | Place]:
    """Where its notices go; what cannot be read with the instance's present key is left out."""
    return [*addresses.usable(user_id), *stored_webhooks.places_of_notices(user_id)]


def names(user_id: int) -> dict[str, str]:
    """The names or hosts of all addresses and webhooks of an account, by their ids."""
    places = [stored_webhooks.place_of(one) for one in stored_webhooks.of_account(user_id)]
    return {one.id: one.shown for one in addresses.usable(user_id)} | {one.id: one.shown for one in places}
