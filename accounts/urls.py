from django.urls import path

from accounts import api, second_factor_api, tokens_api
from accounts.config import page as settings_page
from accounts.notices import api as notices_api
from accounts.notices import pages as notices_page
from accounts.openid import api as openid_api
from accounts.openid import routes as openid_routes
from accounts.passwords.common_passwords import common_passwords
from accounts.signin import invitation_page, pages, reauthentication_page, second_step_page
from accounts.webhooks import api as webhooks_api
from archive_site.lib.http.json_views import endpoint

urlpatterns = [
    path("login", pages.login, name="login"),
    path("logout", pages.logout, name="logout"),
    path("openid/begin", openid_routes.begin, name="openid_begin"),
    path("openid/callback", openid_routes.callback, name="openid_callback"),
    path("second-factor", second_step_page.second_factor, name="second_factor"),
    path("second-factor/passkey", second_step_page.passkey_options, name="passkey_options"),
    path("first-run/<str:token>", pages.first_run, name="first_run"),
    path("invitation/<str:token>", invitation_page.invitation, name="invitation"),
    path("register", pages.register, name="register"),
    path("config/instance", settings_page.instance_settings_page, name="instance"),
    path("notices", notices_page.notices_page, name="notices"),
    path("reauthenticate", reauthentication_page.reauthenticate, name="reauthenticate"),
    path("captcha.png", pages.captcha_picture, name="captcha"),
    path("common-passwords.txt", common_passwords, name="common_passwords"),
    path("api/password", endpoint(POST=api.change_password, limited=False)),
    path("api/reauthenticate", endpoint(POST=api.reauthenticate)),
    path("api/password/notice", endpoint(POST=api.dismiss_password_notice)),
    path("api/profile", endpoint(POST=api.change_profile)),
    path("api/sessions/end-others", endpoint(POST=api.end_other_sessions, limited=False)),
    path("api/captcha", endpoint(POST=api.captcha_rules)),
    path("api/users", endpoint(GET=api.users, POST=api.create_user, admin=True)),
    path("api/users/invitations", endpoint(GET=api.open_invitations, POST=api.create_invitation, admin=True)),
    path("api/users/invitations/<number:invitation_id>/revoke", endpoint(POST=api.revoke_invitation, admin=True)),
    path("api/users/<number:user_id>", endpoint(POST=api.update_user, admin=True)),
    path("api/notices", endpoint(GET=notices_api.read_notices, POST=notices_api.write_notices)),
    path("api/notices/sent", endpoint(GET=notices_api.sent_notices)),
    path("api/notices/test", endpoint(POST=notices_api.test_notices)),
    path("api/tokens", endpoint(GET=tokens_api.own_tokens, POST=tokens_api.create_token)),
    path("api/tokens/<number:token_id>/revoke", endpoint(POST=tokens_api.revoke_token, limited=False)),
    path("api/second-factor", endpoint(GET=second_factor_api.own_factors)),
    path("api/second-factor/codes", endpoint(POST=second_factor_api.begin_codes)),
    path("api/second-factor/codes/confirm", endpoint(POST=second_factor_api.confirm_codes)),
    path("api/second-factor/codes/remove", endpoint(POST=second_factor_api.remove_codes)),
    path("api/second-factor/recovery", endpoint(POST=second_factor_api.renew_recovery)),
    path("api/second-factor/passkeys", endpoint(POST=second_factor_api.add_passkey)),
    path("api/second-factor/passkeys/options", endpoint(POST=second_factor_api.passkey_options)),
    path("api/second-factor/passkeys/alone", endpoint(POST=second_factor_api.let_passkeys_alone)),
    path("api/second-factor/passkeys/<number:passkey_id>/remove", endpoint(POST=second_factor_api.remove_passkey)),
    path("api/openid", endpoint(GET=openid_api.own_identity)),
    path("api/openid/remove", endpoint(POST=openid_api.remove_own)),
    path("api/users/<number:user_id>/openid", endpoint(POST=openid_api.set_of_account, admin=True)),
    path("api/users/<number:user_id>/second-factor/reset", endpoint(POST=second_factor_api.reset, admin=True)),
    path("api/webhooks", endpoint(GET=webhooks_api.own_webhooks, POST=webhooks_api.create_webhook)),
    path("api/webhooks/<number:webhook_id>", endpoint(POST=webhooks_api.change_webhook)),
    path("api/webhooks/<number:webhook_id>/delete", endpoint(POST=webhooks_api.delete_webhook)),
    path("api/webhooks/<number:webhook_id>/test", endpoint(POST=webhooks_api.test_webhook)),
    path("api/settings", endpoint(GET=api.read_settings, POST=api.write_settings)),
]
