// Loads the address again once the server answers, on the page that browsers show where it cannot be reached. It imports
// nothing: the service worker keeps this file alone.

const SECOND = 1000;
const LOOK = 10_000;
// A look that hangs counts as no answer.
const PATIENCE = 8000;
let lookedAt = performance.now();
let looking = false;

// Somebody may open the page itself; there is nothing to come back to then.
if (document.body.dataset.offline !== location.pathname) {
  addEventListener("online", look);
  document.addEventListener("visibilitychange", lookAgain);
  setInterval(lookAgain, SECOND);
}

function lookAgain() {
  if (!document.hidden && performance.now() - lookedAt >= LOOK) look();
}

/** Asks the API: a proxy may answer other paths while it refuses these. JSON of any status is an answer of the server. */
async function look() {
  if (looking) return;
  looking = true;
  lookedAt = performance.now();
  const answers = await fetch(`${document.documentElement.dataset.path ?? ""}/api/status`, { cache: "no-store", credentials: "same-origin", signal: AbortSignal.timeout(PATIENCE) })
    .then((response) => response.json()).then(() => true, () => false);
  looking = false;
  if (answers) location.reload();
}
