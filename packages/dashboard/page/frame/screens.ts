import type { FunctionComponent } from 'preact';
import { Errors } from '../errors/errors.js';
import { History } from '../history/history.js';
import { JobPage } from '../job/job-page.js';
import { Jobs } from '../jobs/jobs.js';
import { Limits } from '../limits/limits.js';
import { NewJob } from '../new-job/new-job.js';
import { Overview } from '../overview/overview.js';
import { Picture } from '../picture/picture.js';
import { Replay } from '../replay/replay.js';
import { Runs } from '../runs/runs.js';
import { Schedules } from '../schedules/schedules.js';
import { Workers } from '../workers/workers.js';

export interface Screen {
  readonly title: string;
  readonly show: FunctionComponent;
  /** Whether the menu has it. */
  readonly inMenu: boolean;
}

export const SCREENS: Readonly<Record<string, Screen>> = {
  overview: { title: 'Overview', show: Overview, inMenu: true },
  jobs: { title: 'Jobs', show: Jobs, inMenu: true },
  job: { title: 'Job', show: JobPage, inMenu: false },
  new: { title: 'New job', show: NewJob, inMenu: false },
  runs: { title: 'Runs', show: Runs, inMenu: true },
  errors: { title: 'Errors', show: Errors, inMenu: true },
  schedules: { title: 'Schedules', show: Schedules, inMenu: true },
  limits: { title: 'Limits', show: Limits, inMenu: true },
  picture: { title: 'Locks', show: Picture, inMenu: true },
  replay: { title: 'Replay', show: Replay, inMenu: true },
  history: { title: 'History', show: History, inMenu: true },
  workers: { title: 'Workers', show: Workers, inMenu: true },
};
