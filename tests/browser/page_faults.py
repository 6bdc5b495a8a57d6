"""Faults of a page or a dialog: against accessibility, out of the window's width, or out of the keyboard's reach."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

AXE = (Path(__file__).parents[1] / "vendor" / "axe-core" / "axe.min.js").read_text()
# Preloading would write styles that the pages' policy forbids; no rule that is on needs it.
FIND = """async ([place, options]) => {
  const { violations } = await axe.run(place, { resultTypes: ["violations"], preload: false, ...options });
  const words = (id, { html, any: [first] }) => `${id}: ${html.slice(0, 160)} ${first?.message ?? ""}`;
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => words(id, node)));
}"""
# Records each focused element, and whether its focus is visible: on itself, its row, or the element drawn in its place.
WATCH_FOCUS = """() => {
  window.stops = [];
  document.addEventListener("focusin", ({ target }) => {
    const places = [target, target.closest("tr"), target.nextElementSibling].filter(Boolean);
    const styles = places.map((node) => getComputedStyle(node));
    const isSeen = styles.some((style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0);
    window.stops.push({ html: target.outerHTML.slice(0, 160), isSeen });
  });
}"""
# Elements for the mouse only: neither they nor their ancestors or descendants can be focused. The table of a chart has
# the same controls.
MOUSE_ONLY = """() => {
  const places = ["a[href]", "button", "input", "select", "textarea", "summary", "label", "[tabindex='0']"];
  const reached = [...places, "tr:has(a[href])", "section:has(.as-table) .chart"].join();
  const isPressed = (node) => getComputedStyle(node).cursor === "pointer" && node.checkVisibility();
  const isLost = (node) => !node.closest(reached) && !node.querySelector(reached);
  const lost = [...document.body.querySelectorAll("*")].filter((node) => isPressed(node) && isLost(node));
  return lost.map((node) => node.outerHTML.slice(0, 160));
}"""
UNFOLD = "for (const part of document.querySelectorAll('main details')) part.open = true"
MODAL = "dialog:modal"
# The themes differ in colours only, so the second one is checked for these.
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
NARROW = 320
Look = tuple[str, int, dict[str, Any]]
LOOKS: list[Look] = [
    (theme, width, rules) for width in (1440, NARROW) for theme, rules in (("light", {}), ("dark", COLOURS))
]
WIDTHS = [NARROW, 768, 1280, 2560]
# Only the first stops of a long page: below them are more rows of the same kind.
STOPS = 40


def violations(page: Page, place: str = "html", looks: list[Look] = LOOKS) -> dict[str, list[str]]:
    """What axe finds wrong in a part of the page, by look; evaluated, as the page's policy takes no foreign script."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE)
    found: dict[str, list[str]] = {}
    for theme, width, rules in looks:
        look(page, theme, width)
        found[f"{theme} {width}"] = page.evaluate(FIND, [place, rules])
    return {name: faults for name, faults in found.items() if faults}


def look(page: Page, theme: Any, width: int) -> None:
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 900})


def faults(page: Page) -> dict[str, Any]:
    """All faults of a page."""
    found: dict[str, Any] = {"focus out of sight": walk(page), "for a mouse only": page.evaluate(MOUSE_ONLY)}
    page.evaluate(UNFOLD)
    found |= violations(page)
    beyond = {width: overflow(page, width) for width in WIDTHS}
    found["too wide"] = {width: pixels for width, pixels in beyond.items() if pixels > 0}
    return {name: fault for name, fault in found.items() if fault}


def faults_of_dialog(page: Page, opener: str) -> dict[str, Any]:
    """All faults of a dialog; it is opened and closed by keyboard."""
    button = page.locator(opener).first
    comes_up_on_its_own = opener.startswith("#") and button.evaluate("node => node.localName === 'dialog'")
    if comes_up_on_its_own:
        button.evaluate("dialog => dialog.showModal()")
    else:
        button.focus()
        page.keyboard.press("Enter")
    expect(page.locator(MODAL).locator(":focus")).to_have_count(1)
    found: dict[str, Any] = violations(page, MODAL)
    box = page.locator(MODAL).bounding_box()
    if not box or box["x"] < 0 or box["x"] + box["width"] > NARROW:
        found["too wide"] = box
    if comes_up_on_its_own:
        button.evaluate("dialog => dialog.close()")
    else:
        page.keyboard.press("Escape")
        expect(button).to_be_focused()
    return found


def walk(page: Page) -> list[str]:
    """The elements that the Tab key reaches without a visible focus."""
    page.set_viewport_size({"width": 1280, "height": 900})
    page.evaluate(WATCH_FOCUS)
    for _ in range(STOPS):
        page.keyboard.press("Tab")
    stops = page.evaluate("window.stops")
    assert stops, "the Tab key leads nowhere"
    return sorted({stop["html"] for stop in stops if not stop["isSeen"]})


def overflow(page: Page, width: int) -> int:
    """How many pixels a page reaches beyond the window."""
    page.set_viewport_size({"width": width, "height": 900})
    beyond: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return beyond
