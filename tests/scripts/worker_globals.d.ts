// What the server writes before the text of the service worker.

declare const KEPT: { caches: string; name: string; path: string; page: string; files: string[] };
