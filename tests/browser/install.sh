#!/bin/sh
# Provides a browser for the tests of pages: an installed Chromium or Chrome, else Debian's, else Playwright's.
set -eu
for name in $(cat tests/browser/browsers.txt); do
    if command -v "$name" >/dev/null 2>&1; then
        exit 0
    fi
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing Chromium for the tests of pages."
    apt-get -qq update
    DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends chromium >/dev/null
    exit 0
fi
echo "No Chromium or Chrome is installed; fetching that of Playwright."
exec .venv/bin/python -m playwright install chromium
