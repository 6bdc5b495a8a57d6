#!/bin/sh
# Provides a browser for the tests of pages: Debian's Chromium without windows, which starts and draws fastest, else an
# installed Chromium or Chrome, else Playwright's.
set -eu
has() {
    command -v "$1" >/dev/null 2>&1
}
if has chromium-headless-shell; then
    exit 0
fi
if [ "$(id -u)" = 0 ] && has apt-get; then
    echo "Installing Chromium for the tests of pages."
    export DEBIAN_FRONTEND=noninteractive
    apt-get -qq update || true
    for package in chromium-headless-shell chromium; do
        if apt-get -qq install --yes --no-install-recommends "$package" >/dev/null; then
            exit 0
        fi
    done
fi
for name in $(cat tests/browser/browsers.txt); do
    if has "$name"; then
        exit 0
    fi
done
# Playwright's comes with the environment of the tests, which may not be there yet.
[ "${1:-}" != packages ] || exit 0
echo "No Chromium or Chrome is installed; fetching that of Playwright."
exec .venv/bin/python -m playwright install chromium
