// The buttons of a page that answer with a passkey.

import { findAll } from "./page_elements.js";
import { prepare } from "./passkey_answer.js";

for (const place of findAll(document, "[data-passkey]")) prepare(place);
