"""A call of wget, as API clients such as Postman write it."""

import re

from collection.sources.codebuddy.pasted_requests.copied_request import Form
from collection.sources.codebuddy.pasted_requests.shell_commands import Program, requests_of

_BEGINS = re.compile(r"wget(?:\.exe)?\s", re.IGNORECASE)
# Other options with a value, which is no URL of the request.
_WITH_VALUE = """
    -A --accept -a --append-output -B --base -D --domains -e --execute -I --include-directories -i --input-file
    -l --level -O --output-document -o --output-file -P --directory-prefix -Q --quota -R --reject -T --timeout
    -t --tries -w --wait -X --exclude-directories --accept-regex --bind-address --body-data --body-file
    --ca-certificate --ca-directory --certificate --certificate-type --ciphers --compression --config
    --connect-timeout --crl-file --cut-dirs --default-page --dns-servers --dns-timeout --exclude-domains
    --follow-tags --ftp-password --ftp-user --hsts-file --http-password --http-user --ignore-tags --limit-rate
    --load-cookies --local-encoding --max-redirect --method --password --pinnedpubkey --post-data --post-file
    --prefer-family --private-key --private-key-type --progress --proxy-password --proxy-user --read-timeout
    --referer --regex-type --reject-regex --rejected-log --remote-encoding --report-speed --restrict-file-names
    --retry-on-http-error --save-cookies --secure-protocol --start-pos --use-askpass --user --waitretry
    --warc-dedup --warc-file --warc-header --warc-max-size --warc-tempdir
"""
_OPTIONS = {
    **dict.fromkeys(_WITH_VALUE.split(), ""),
    "--header": "header",
    **dict.fromkeys(("-U", "--user-agent"), "user-agent"),
}
_WGET = Program({"wget", "wget.exe"}, _OPTIONS)

FORM = Form(_BEGINS.match, lambda text, _: requests_of(text, _WGET))
