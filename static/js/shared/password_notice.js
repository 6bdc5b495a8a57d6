// The notice about wrong tries to change the password: its button hides it in this session. It ends where the tries were
// this session's own, and it now gave the right password.

import { post, reread } from "./api.js";
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
document.addEventListener("archive:password-given", async () => {
  try {
    if (!(await reread()).getElementById("password-notice")) notice.remove();
  } catch {
    // The next page shows whether it is over.
  }
});
