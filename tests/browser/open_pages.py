"""Pages that stay open: hiding them, refreshing them, and what they hold in the browser's memory."""

from dataclasses import dataclass

from playwright.sync_api import Page

from tests.browser.running_instance import Instance

HIDE = """(isHidden) => {
  Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
  Object.defineProperty(document, "visibilityState", { value: isHidden ? "hidden" : "visible", configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
# As after a collection: everything that the page shows is read and drawn again.
# A tab that was never opened stays as it was.
REFRESH = """async (times) => {
  const isBusy = () => [...document.querySelectorAll("main [aria-busy=true]")].some((part) => part.checkVisibility());
  for (let done = 0; done < times; done += 1) {
    document.dispatchEvent(new CustomEvent("archive:collected"));
    const end = Date.now() + 20_000;
    do await new Promise((resume) => { setTimeout(resume, 20); });
    while (isBusy() && Date.now() < end);
    if (isBusy()) throw new Error("a part goes on loading");
    if (document.querySelector("main [data-failed]:not([hidden])")) throw new Error("a part failed");
  }
}"""
# An account may make 240 reads a minute, and a refresh of the overview makes seven.
AT_ONCE = 20


@dataclass(frozen=True)
class Held:
    """What a page holds after a garbage collection: bytes of JavaScript, nodes of documents, and event listeners."""

    bytes: int
    nodes: int
    listeners: int


def set_hidden(page: Page, is_hidden: bool) -> None:
    page.evaluate(HIDE, is_hidden)


def refresh(page: Page, instance: Instance, times: int) -> None:
    for begun in range(0, times, AT_ONCE):
        instance.forget_counts()
        page.evaluate(REFRESH, min(AT_ONCE, times - begun))


def held_by(page: Page) -> Held:
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    # Finalizers and weak references need a second turn.
    for _ in range(2):
        session.send("HeapProfiler.collectGarbage")
    found = {metric["name"]: int(metric["value"]) for metric in session.send("Performance.getMetrics")["metrics"]}
    session.detach()
    return Held(found["JSHeapUsedSize"], found["Nodes"], found["JSEventListeners"])
