import { allowed } from "./messages/allowed.js";
import { audit } from "./messages/audit.js";
import { bulk } from "./messages/bulk.js";
import { charts } from "./messages/charts.js";
import { confirm } from "./messages/confirm.js";
import { dead } from "./messages/dead.js";
import { deadWork } from "./messages/dead-work.js";
import { errors } from "./messages/errors.js";
import { firstRun } from "./messages/first-run.js";
import { flow } from "./messages/flow.js";
import { flows } from "./messages/flows.js";
import { job } from "./messages/job.js";
import { jobs } from "./messages/jobs.js";
import { json } from "./messages/json.js";
import { metrics } from "./messages/metrics.js";
import { newJob } from "./messages/new-job.js";
import { overview } from "./messages/overview.js";
import { queues } from "./messages/queues.js";
import { scheduleForm } from "./messages/schedule-form.js";
import { schedule } from "./messages/schedule.js";
import { schedules } from "./messages/schedules.js";
import { settings } from "./messages/settings.js";
import { shell } from "./messages/shell.js";
import { states } from "./messages/states.js";
import { steps } from "./messages/steps.js";
import { tokens } from "./messages/tokens.js";
import { units } from "./messages/units.js";
import { why } from "./messages/why.js";
import { workers } from "./messages/workers.js";
import type { ValuesOf } from "./message.js";

/** Every text of the dashboard. A page's messages are in a file of their own. */
export const catalogue = {
  en: {
    ...allowed.en,
    ...audit.en,
    ...bulk.en,
    ...charts.en,
    ...confirm.en,
    ...dead.en,
    ...deadWork.en,
    ...errors.en,
    ...firstRun.en,
    ...flow.en,
    ...flows.en,
    ...job.en,
    ...jobs.en,
    ...json.en,
    ...metrics.en,
    ...newJob.en,
    ...overview.en,
    ...queues.en,
    ...scheduleForm.en,
    ...schedule.en,
    ...schedules.en,
    ...settings.en,
    ...shell.en,
    ...states.en,
    ...steps.en,
    ...tokens.en,
    ...units.en,
    ...why.en,
    ...workers.en,
  },
  ru: {
    ...allowed.ru,
    ...audit.ru,
    ...bulk.ru,
    ...charts.ru,
    ...confirm.ru,
    ...dead.ru,
    ...deadWork.ru,
    ...errors.ru,
    ...firstRun.ru,
    ...flow.ru,
    ...flows.ru,
    ...job.ru,
    ...jobs.ru,
    ...json.ru,
    ...metrics.ru,
    ...newJob.ru,
    ...overview.ru,
    ...queues.ru,
    ...scheduleForm.ru,
    ...schedule.ru,
    ...schedules.ru,
    ...settings.ru,
    ...shell.ru,
    ...states.ru,
    ...steps.ru,
    ...tokens.ru,
    ...units.ru,
    ...why.ru,
    ...workers.ru,
  },
};

type English = typeof catalogue.en;
export type MessageKey = keyof English;
export type Values<Key extends MessageKey> = ValuesOf<English[Key]>;
