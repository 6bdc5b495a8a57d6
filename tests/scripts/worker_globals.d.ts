// What the service worker finds: its own scope, and what the server writes before its text.

declare const self: ServiceWorkerGlobalScope;
declare const KEPT: { name: string; page: string; files: string[] };
