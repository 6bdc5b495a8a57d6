// The settings of the instance, in sections of one form each.

import { bindSettingsForms } from "../shared/settings_forms.js";
import { addTyped, readSchedule, showTimes, times } from "./instance_settings/schedule_form.js";

bindSettingsForms({ text: times, show: showTimes, add: addTyped, saved: readSchedule });
readSchedule();
