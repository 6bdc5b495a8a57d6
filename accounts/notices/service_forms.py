"""The services that the page Notices offers, with their fields: docs/api.md#addresses-of-notices.

A form makes of its fields the address that the service shows for copying, so both ways in are read by the same code.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.delivery.sending.appearance import MAIL
from accounts.delivery.sending.offered import (
    bark,
    dingtalk,
    discord,
    feishu,
    json_form,
    ntfy,
    serverchan,
    slack,
    telegram,
    wecom,
)
from accounts.notices.form_addresses import of_bark, of_ntfy, of_serverchan, of_telegram, of_webhook, signed

Fields = Mapping[str, str]
ANY = "address"


@dataclass(frozen=True)
class Field:
    """A field of a form. `preset`: the value that it begins with."""

    name: str
    label: str | Promise
    help: str | Promise = ""
    is_needed: bool = True
    preset: str = ""

    @property
    def shown_label(self) -> str:
        """The label on the page."""
        return str(self.label) if self.is_needed else gettext("%(label)s (optional)") % {"label": self.label}


@dataclass(frozen=True)
class ServiceForm:
    """A service with its fields; `address` makes an address of them."""

    name: str
    label: str | Promise
    fields: tuple[Field, ...]
    address: Callable[[Fields], str]


_FOR_FEISHU = _(
    "Only if signature verification is on in the bot's security settings. If a keyword is set there, it is Usage"
    " Archive."
)


def _webhook(help_text: str | Promise) -> Field:
    return Field("webhook", _("Webhook address"), help_text)


def _secret(help_text: str | Promise) -> Field:
    return Field("secret", _("Secret for signing"), help_text, is_needed=False)


def _server(host: str) -> Field:
    return Field("server", _("Server"), _("The address of your own server, if you have one."), preset=f"https://{host}")


FORMS = {
    form.name: form
    for form in (
        ServiceForm(
            ANY,
            _("Any address"),
            (
                Field(
                    "address",
                    _("Address"),
                    _(
                        "Paste what the service shows for copying, a mail address, or an address of your own program:"
                        " it begins with https://. It is stored encrypted and not shown again."
                    ),
                ),
            ),
            lambda fields: fields["address"],
        ),
        ServiceForm(
            dingtalk.SERVICE,
            _("DingTalk"),
            (
                _webhook(_("In the group: Group settings, Bot, Add robot, Custom. Copy its webhook.")),
                _secret(
                    _(
                        "Only if the robot's security setting is a signature. It begins with SEC. If the setting is a"
                        " keyword, it is Usage Archive."
                    )
                ),
            ),
            lambda fields: signed(of_webhook(fields["webhook"], dingtalk.PREFIX), fields["secret"]),
        ),
        ServiceForm(
            "feishu",
            _("Feishu"),
            (
                _webhook(_("In the group: Settings, Bots, Add bot, Custom bot. Copy its webhook address.")),
                _secret(_FOR_FEISHU),
            ),
            lambda fields: signed(of_webhook(fields["webhook"], feishu.prefix("feishu")), fields["secret"]),
        ),
        ServiceForm(
            "lark",
            _("Lark"),
            (
                _webhook(_("In the group: Settings, Bots, Add bot, Custom bot. Copy its webhook address.")),
                _secret(_FOR_FEISHU),
            ),
            lambda fields: signed(of_webhook(fields["webhook"], feishu.prefix("lark")), fields["secret"]),
        ),
        ServiceForm(
            wecom.SERVICE,
            _("WeCom"),
            (_webhook(_("In the group: Add group robot. Copy its webhook address.")),),
            lambda fields: of_webhook(fields["webhook"], wecom.PREFIX),
        ),
        ServiceForm(
            serverchan.SERVICE,
            _("ServerChan"),
            (Field("key", "SendKey", _("On sct.ftqq.com or sc3.ft07.com. It begins with SCT or sctp.")),),
            of_serverchan,
        ),
        ServiceForm(
            telegram.SERVICE,
            "Telegram",
            (
                Field("token", _("Token of the bot"), _("@BotFather shows it when you create the bot.")),
                Field(
                    "chat",
                    _("Chat id"),
                    _("Write to the bot first. @userinfobot shows your id; a channel has its @name."),
                ),
            ),
            of_telegram,
        ),
        ServiceForm(
            slack.SERVICE,
            "Slack",
            (_webhook(_("On api.slack.com: your app, Incoming Webhooks. Copy the webhook URL.")),),
            lambda fields: of_webhook(fields["webhook"], slack.PREFIX),
        ),
        ServiceForm(
            discord.SERVICE,
            "Discord",
            (_webhook(_("In the channel's settings: Integrations, Webhooks. Copy the webhook URL.")),),
            lambda fields: of_webhook(fields["webhook"], discord.PREFIX),
        ),
        ServiceForm(
            ntfy.SERVICE,
            "ntfy",
            (
                _server(ntfy.HOSTS[0]),
                Field("topic", _("Topic"), _("Whoever guesses its name can read the notices.")),
                Field("token", _("Access token"), _("Only if the topic is protected."), is_needed=False),
            ),
            of_ntfy,
        ),
        ServiceForm(
            bark.SERVICE,
            "Bark",
            (
                _server(bark.HOSTS[0]),
                Field("key", _("Key"), _("The app shows it in its test address, after the server.")),
            ),
            of_bark,
        ),
        ServiceForm(
            MAIL,
            _("Mail"),
            (Field("mailbox", _("Mail address"), _("Notices are sent by the mail server of the instance.")),),
            lambda fields: fields["mailbox"],
        ),
        ServiceForm(
            json_form.SERVICE,
            _("Your own program"),
            (
                Field(
                    "webhook",
                    _("Address of the program"),
                    _("It begins with https:// and is sent a JSON object with title and message."),
                ),
            ),
            lambda fields: fields["webhook"],
        ),
    )
}


def label_of(service: str) -> str:
    """The name of a service for people; of others their scheme."""
    form = FORMS.get(service)
    return str(form.label) if form else service
