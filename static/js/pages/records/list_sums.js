// The sums of all records that the list finds: credits, average and share of free calls, in its head.

import { credits, share } from "../../shared/formats.js";
import { fill, gettext } from "../../shared/i18n.js";
import { find } from "../../shared/page_elements.js";

const part = find(document, "[data-sums]");

/** @param {Paged<ListedRecord>} answer */
export function showSums({ total, sums }) {
  part.hidden = !total || !sums;
  if (!sums) return;
  const texts = { sum: credits(sums.credits), average: credits(sums.avg), free: share(sums.free, total) };
  part.textContent = fill(gettext("Sum %(sum)s · average %(average)s · %(free)s free"), texts);
}

export function hideSums() {
  part.hidden = true;
}
