// What each page behind the sign-in has: the bar with its button for collecting, the palette and the keys.

import "./archive_choice.js";
import "./collect_button.js";
import "./offline_page.js";
import "./palette_keys.js";
