"""Signing in, and the ways to get an account.

`pages` has the pages of it with their `forms`; a form leads to another host by `leading_out`. `signin` checks name and
password, `throttling` counts what failed. Where the account has a second factor, the session is `half_in` until
`second_step` is done on `second_step_page`; `factor_required` leads accounts to set up one that they lack. `captcha`
asks for the text of a `captcha_picture`, and `device_cookie` recognises a browser that signed in before.
`visitor_sessions` keeps few sessions of visitors, `sessions` lists and ends those of accounts, `idle_sessions` ends
those that were left. `reauthentication` asks for the password again, on a page of its own (`reauthentication_page`). An
account comes by `self_registration`, by `invitations` (the page of a link is `invitation_page`), or in the `first_run`.
"""
