// What the scripts expect of a page, for tests outside of a browser: an English page without a catalogue.

Object.assign(globalThis, { window: globalThis, document: { documentElement: { lang: "en", dataset: {} } } });
