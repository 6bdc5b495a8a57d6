// The page of packages: what a credit cost may be taken as the rate of the archive.

import { post } from "../shared/api.js";
import { onSubmit, sayDone } from "../shared/form_fields.js";
import { gettext } from "../shared/i18n.js";
import { find } from "../shared/page_elements.js";

const form = find(document, "[data-take-rate]", HTMLFormElement);

onSubmit(form, async () => {
  const { archive, amount, unit } = form.dataset;
  await post(`/api/archives/${archive}`, { rate: { amount, unit } });
  sayDone(form, gettext("The overview shows amounts by this rate, too."));
});
