// The profile page: name and email, appearance, password and sessions. Tokens are in `profile/tokens.js`, the second factor
// in `profile/second_factor.js`.

import { post, reread } from "../shared/api.js";
import { keepChoice } from "../shared/browser_choice.js";
import { onSubmit, sayDone, sayToForm } from "../shared/form_fields.js";
import { gettext } from "../shared/i18n.js";
import { byId, fieldOf, find } from "../shared/page_elements.js";
import { differs, settle, watchChanges } from "../shared/unsaved.js";
import "./profile/elsewhere.js";
import "./profile/leaving.js";
import "./profile/second_factor.js";
import { showTokens } from "./profile/tokens.js";

const about = byId("about", HTMLFormElement);
const looks = byId("looks", HTMLFormElement);
const password = byId("password", HTMLFormElement);
const sessions = byId("sessions", HTMLFormElement);
const NAMES = ["display_name", "email"];
const named = NAMES.map((name) => fieldOf(about, name));
const chosen = ["language", "theme"].map((name) => fieldOf(looks, name, HTMLSelectElement));
const renewAbout = watchChanges(about, () => named.filter(differs).length);
const renewLooks = watchChanges(looks, () => chosen.filter(differs).length);

onSubmit(about, async () => {
  const edited = named.filter(differs);
  if (!edited.length) {
    sayDone(about, gettext("Nothing was changed."));
    return;
  }
  const { message } = await post("/api/profile", Object.fromEntries(edited.map((field) => [field.name, field.value])));
  await showStored();
  renewAbout();
  sayDone(about, message);
});

onSubmit(looks, async () => {
  const [language, theme] = chosen;
  const { message } = await post("/api/profile", { language: language.value, theme: theme.value });
  // The account has chosen, so what was chosen in this browser before the sign-in ends.
  keepChoice("language", "");
  keepChoice("theme", "");
  settle(chosen);
  renewLooks();
  const page = await reread();
  if (page.documentElement.lang === document.documentElement.lang) {
    document.documentElement.dataset.theme = theme.value;
    sayDone(looks, message);
  } else {
    // The language has changed: all texts must be rendered again.
    location.reload();
  }
});

onSubmit(password, async () => {
  const [old, chosen, new2] = ["old", "new", "new2"].map((name) => fieldOf(password, name));
  const ends = fieldOf(password, "end_tokens").checked;
  const { message, warning } = await post("/api/password", { old: old.value, new: chosen.value, new2: new2.value, end_tokens: ends });
  password.reset();
  document.getElementById("password-notice")?.remove();
  sayDone(password, message);
  sayToForm(password, warning ?? "");
  await showSessions();
  if (ends) await showTokens();
});

onSubmit(sessions, async () => {
  const { message } = await post("/api/sessions/end-others");
  await showSessions();
  sayDone(sessions, message);
});

/** Shows name and email as they are stored. */
async function showStored() {
  const page = await reread();
  for (const name of NAMES) {
    const field = fieldOf(about, name);
    field.value = field.defaultValue = byId(field.id, HTMLInputElement, page).value;
  }
  byId("own-name").textContent = byId("own-name", HTMLElement, page).textContent;
}

/** Updates the list of sessions. */
async function showSessions() {
  const list = find(await reread(), "[data-sessions]");
  find(sessions, "[data-sessions]").replaceWith(list);
}
