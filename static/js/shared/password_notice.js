// The notice about wrong tries to change the password: its button hides it in this session.

import { post } from "./api.js";
import { byId, find } from "./page_elements.js";

const notice = byId("password-notice");

find(notice, "[data-dismiss]").addEventListener("click", async () => {
  try {
    await post("/api/password/notice");
  } catch {
    // The notice stays, so the button can be pressed again.
    return;
  }
  notice.remove();
});
