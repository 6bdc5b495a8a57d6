// Registers the service worker, which shows a page where the server cannot be reached.

import { at } from "./addresses.js";

// Milliseconds after the page has loaded: what the page shows comes first.
const LATER = 2000;

// Browsers have it on localhost and over HTTPS only. Without it they show their own page.
if ("serviceWorker" in navigator) {
  addEventListener("load", () => setTimeout(() => { navigator.serviceWorker.register(at("/service-worker.js")).catch(() => {}); }, LATER));
}
