// Shows a page that says so where the server cannot be reached. It keeps this page and its files, whose addresses the
// server writes before this text, and nothing else: no answer of /api/ and no page of an account.

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
// Downloads fail as they do without this worker.
const NO_PAGES = /^\/(?:api|static|exports|records\/export|runs\/\d+\/report|logs\/tail)(?:\/|$)/;

worker.addEventListener("install", (event) => event.waitUntil(keep()));
worker.addEventListener("activate", (event) => event.waitUntil(takeOver()));

worker.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== location.origin) return;
  if (mode === "navigate") {
    if (!NO_PAGES.test(pathname.slice(KEPT.path.length))) event.respondWith(pageOf(event));
  } else if (KEPT.files.includes(pathname)) {
    event.respondWith(fetch(event.request).catch(() => keptAt(pathname)));
  }
});

async function keep() {
  const cache = await caches.open(KEPT.name);
  await cache.addAll([new Request(KEPT.page, { cache: "reload" }), ...KEPT.files]);
  await worker.skipWaiting();
}

async function takeOver() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(KEPT.caches) && name !== KEPT.name).map((name) => caches.delete(name)));
  // Pages are asked for while this worker starts.
  await worker.registration.navigationPreload?.enable();
}

/** @param {FetchEvent} event */
async function pageOf(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    return keptAt(KEPT.page);
  }
}

/** @param {string} path */
async function keptAt(path) {
  return (await caches.match(path, { cacheName: KEPT.name, ignoreVary: true })) ?? Response.error();
}
