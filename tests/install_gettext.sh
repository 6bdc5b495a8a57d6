#!/bin/sh
# Installs GNU gettext, which the test of translations needs.
set -eu
if command -v msgfmt >/dev/null 2>&1; then
    exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing GNU gettext for the test of translations."
    apt-get -qq update
    DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends gettext >/dev/null
    exit 0
fi
echo "The test of translations needs GNU gettext (msgfmt, xgettext). Install it." >&2
exit 1
