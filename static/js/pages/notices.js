// The page of notices: events, summaries and quiet hours. Its addresses and webhooks are in `notices/`.

import { post } from "../shared/api.js";
import { onSubmit, sayDone } from "../shared/form_fields.js";
import { byId, fieldOf, findAll } from "../shared/page_elements.js";
import { watchChanges } from "../shared/unsaved.js";
import "./notices/addresses.js";
import "./notices/webhooks.js";

const events = byId("events", HTMLFormElement);
const quiet = byId("quiet", HTMLFormElement);
const switches = findAll(events, "input", HTMLInputElement);
const summaries = byId("summaries", HTMLFormElement);
const chosen = findAll(summaries, "input", HTMLInputElement);
const times = ["quiet_from", "quiet_to"].map((name) => fieldOf(quiet, name));
const renewEvents = watchChanges(events, () => switches.filter((one) => one.checked !== one.defaultChecked).length);
const renewSummaries = watchChanges(summaries, () => chosen.filter((one) => one.checked !== one.defaultChecked).length);
const renewQuiet = watchChanges(quiet, () => times.filter((one) => one.value !== one.defaultValue).length);

onSubmit(events, async () => {
  const { message } = await post("/api/notices", {
    events: Object.fromEntries(switches.map((one) => [one.name, one.checked])),
  });
  for (const one of switches) one.defaultChecked = one.checked;
  renewEvents();
  sayDone(events, message);
});

onSubmit(summaries, async () => {
  const [week, month, prompts] = chosen.map((one) => one.checked);
  const { message } = await post("/api/notices", { summaries: { week, month }, summary_prompts: prompts });
  for (const one of chosen) one.defaultChecked = one.checked;
  renewSummaries();
  sayDone(summaries, message);
});

onSubmit(quiet, async () => {
  const { message } = await post("/api/notices", Object.fromEntries(times.map((one) => [one.name, one.value])));
  for (const one of times) one.defaultValue = one.value;
  renewQuiet();
  sayDone(quiet, message);
});
