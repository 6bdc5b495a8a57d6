// What the server writes before the text of the service worker.

declare const KEPT: { name: string; page: string; files: string[] };
