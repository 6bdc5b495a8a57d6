"""Copied as cURL, for bash, cmd or PowerShell; also all requests of a page."""

import re

from collection.sources.codebuddy.pasted_requests.copied_request import Form
from collection.sources.codebuddy.pasted_requests.shell_commands import Program, requests_of

# Behind a variable of the environment, or with its folder.
_BEGINS = re.compile(r"(?:[A-Z_]{2,}=\S*\s+)*(?:[\w./-]*/)?curl(?:\.exe)?\s", re.IGNORECASE)
# Other options with a value, which is no URL of the request.
_WITH_VALUE = """
    -C --continue-at -c --cookie-jar -D --dump-header -d --data -E --cert -e --referer -F --form -K --config -m
    --max-time -o --output -P --ftp-port -Q --quote -r --range -T --upload-file -t --telnet-option -U
    --proxy-user -u --user -w --write-out -X --request -x --proxy -Y --speed-limit -y --speed-time -z
    --time-cond --abstract-unix-socket --alt-svc --aws-sigv4 --cacert --capath --cert-type --ciphers
    --connect-timeout --connect-to --create-file-mode --crlfile --curves --data-ascii --data-binary --data-raw
    --data-urlencode --delegation --dns-interface --dns-ipv4-addr --dns-ipv6-addr --dns-servers --doh-url --ech
    --egd-file --engine --etag-compare --etag-save --expect100-timeout --form-string --ftp-account
    --ftp-alternative-to-user --ftp-method --ftp-ssl-ccc-mode --happy-eyeballs-timeout-ms --haproxy-clientip
    --hostpubmd5 --hostpubsha256 --hsts --interface --ip-tos --ipfs-gateway --json --keepalive-cnt
    --keepalive-time --key --key-type --krb --libcurl --limit-rate --local-port --login-options --mail-auth
    --mail-from --mail-rcpt --max-filesize --max-redirs --netrc-file --noproxy --oauth2-bearer --output-dir
    --parallel-max --pass --pinnedpubkey --preproxy --proto --proto-default --proto-redir --proxy-cacert
    --proxy-capath --proxy-cert --proxy-cert-type --proxy-ciphers --proxy-crlfile --proxy-header --proxy-key
    --proxy-key-type --proxy-pass --proxy-pinnedpubkey --proxy-service-name --proxy-tls13-ciphers
    --proxy-tlsauthtype --proxy-tlspassword --proxy-tlsuser --proxy1.0 --pubkey --random-file --rate
    --request-target --resolve --retry --retry-delay --retry-max-time --sasl-authzid --service-name --socks4
    --socks4a --socks5 --socks5-gssapi-service --socks5-hostname --stderr --tftp-blksize --tls-max
    --tls13-ciphers --tlsauthtype --tlspassword --tlsuser --trace --trace-ascii --trace-config --unix-socket
    --url-query --variable --vlan-priority
"""
_OPTIONS = {
    **dict.fromkeys(_WITH_VALUE.split(), ""),
    **dict.fromkeys(("-H", "--header"), "header"),
    **dict.fromkeys(("-b", "--cookie"), "cookie"),
    **dict.fromkeys(("-A", "--user-agent"), "user-agent"),
    "--url": "url",
}
# Behind `--next` there is another request.
_CURL = Program({"curl", "curl.exe", "--next", "-:"}, _OPTIONS)

FORM = Form(_BEGINS.match, lambda text, _: requests_of(text, _CURL))
