// What the scripts expect of a page, for tests outside of a browser: an English page without a catalogue, where nothing happens.

const root = { lang: "en", dataset: {} };
const document = Object.assign(new EventTarget(), { documentElement: root });
Object.assign(globalThis, { window: globalThis, document, addEventListener: () => {} });
