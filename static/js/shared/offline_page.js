// Registers the service worker, which shows a page where the server cannot be reached.

// Browsers have it on localhost and over HTTPS only. Without it they show their own page.
if ("serviceWorker" in navigator) {
  addEventListener("load", () => { navigator.serviceWorker.register("/service-worker.js").catch(() => {}); });
}
