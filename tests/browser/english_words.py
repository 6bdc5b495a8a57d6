"""English words in a Chinese page, beyond names that are the same in every language."""

import re

from playwright.sync_api import Page

# Texts of the page, seen or not yet seen, also those that its templates and attributes hold. What people, models and
# the upstream wrote is left out by its place.
TEXTS = """(apart) => {
  const found = [document.title];
  const take = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!node.parentElement?.closest(`script, style, noscript, ${apart}`)) found.push(node.textContent);
    }
    for (const node of root.querySelectorAll("*")) {
      if (node.closest(apart)) continue;
      for (const name of ["title", "aria-label", "aria-description", "placeholder", "alt"]) {
        if (node.hasAttribute(name)) found.push(node.getAttribute(name));
      }
    }
    for (const template of root.querySelectorAll("template")) take(template.content);
    // Where scripts are on, its content is a text.
    for (const other of root.querySelectorAll("noscript")) {
      take(new DOMParser().parseFromString(other.textContent, "text/html").body);
    }
  };
  take(document.body);
  return [...new Set(found.map((text) => text.trim()).filter(Boolean))];
}"""
# Prompts, notes of backups, code, and the application's log, whose lines are English in every language; on the admin
# site keys and values of settings, and names and functions of tasks.
APART = (
    "code, kbd, .record-prompt, .prompt, .top-prompt, [data-note]:is(td), .log.tail, [translate=no], "
    ":is(.field-key, .field-shown_value, .field-name, .field-func, .field-shown_name, .field-function)"
)
NAMES = (
    "Usage Archive", "WorkBuddy", "VS Code", "Chrome", "Linux", "Cookie", "User-Agent", "cURL", "Edge",
    "curl", "-H", "PowerShell", "Latin-1", "English", "JavaScript", "get-user-request-usage", "SHA-256", "Ctrl",
    "Shift", "Enter", "Esc", "Webhook", "JSON Lines", "Parquet",
    # What models are paid by; a credential is another word.
    "Token",
    # Services whose files and bills an archive takes.
    "Anthropic", "Cursor", "GitHub Copilot", "OpenAI", "OpenRouter",
    # Services of notices, and what they call their things.
    "Apprise", "Bark", "Discord", "Lark", "ntfy", "Server酱", "Slack", "Telegram", "@BotFather", "@userinfobot",
    "Incoming Webhooks", "SCT", "SEC", "SendKey", "URL", "api.slack.com", "sc3.ft07.com", "sct.ftqq.com", "sctp",
)  # fmt: skip
SHORT = ("API", "CLI", "CSV", "HTTP", "HTTPS", "ID", "IDE", "IP", "JSON", "NUL", "SQLite", "UTC", "ZIP", "NAME")
UNITS = ("B", "kB", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "ms", "s")
SHAPES = (
    r"https?(?:://\S+)?",  # addresses
    r"\b[a-z]+://…?",  # their schemes
    r"(?<![A-Za-z])(?:/[\w.{}…-]+)+",  # paths
    r"\b[A-Z][a-z]+/[A-Z]\w+",  # time zones
    r"\b[\w-]+\.(?:zip|csv|json|jsonl|py|key|sqlite3)\b",  # files
    r"\b[a-z]+(?:_[a-z0-9]+)+\b",  # keys of settings and fields
    r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b",  # ids across instances
    r"\b(?:crb-)?[0-9a-f]{8,}…?",  # hashes, ids of records
    r"\.\.\.\w{4}\b",  # the end of a cookie
    r"^Mozilla/5\.0 .*",  # the User-Agent of a session
)
WORD = re.compile(r"[A-Za-z]{2,}")


def english_words(page: Page, names: list[str]) -> list[str]:
    """The texts of the page with English words. `names` are those of accounts, models, clients and purposes."""
    whole = sorted((re.escape(name) for name in (*NAMES, *names) if name), key=len, reverse=True)
    codes = rf"(?<![A-Za-z])(?:{'|'.join(sorted((*SHORT, *UNITS), key=len, reverse=True))})(?![A-Za-z])"
    allowed = re.compile("|".join([*whole, *SHAPES, codes]))
    texts: list[str] = page.evaluate(TEXTS, APART)
    return [text for text in texts if WORD.search(allowed.sub(" ", text))]
