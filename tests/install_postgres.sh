#!/bin/sh
# Installs PostgreSQL and Redis, which tests start on their own.
set -eu
missing=""
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="postgresql"
command -v redis-server >/dev/null 2>&1 || missing="$missing redis-server"
if [ -z "$missing" ]; then
    exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing for the tests on PostgreSQL: $missing"
    apt-get -qq update
    # shellcheck disable=SC2086 # names of packages
    DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends $missing >/dev/null
    exit 0
fi
echo "The tests on PostgreSQL need these packages of Debian: $missing. Install them." >&2
exit 1
