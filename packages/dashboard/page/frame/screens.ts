import type { FunctionComponent } from 'preact';
import { Audit } from '../audit/audit.js';
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
import { ScheduleScreen } from '../schedules/schedule-screen.js';
import { Schedules } from '../schedules/schedules.js';
import { Workers } from '../workers/workers.js';

export interface Screen {
  readonly title: string;
  readonly show: FunctionComponent;
  /** Its sign in the menu: a path in a square of 16. Without one the menu does not have it. */
  readonly icon?: string;
}

/** Those of a part of the menu stand together: work, its rules, and its course. */
type Part = Readonly<Record<string, Screen>>;

const WORK: Part = {
  overview: {
    title: 'Overview',
    show: Overview,
    icon: 'M2.5 2.5h4.5v4.5h-4.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5h-4.5zM9 9h4.5v4.5H9z',
  },
  jobs: { title: 'Jobs', show: Jobs, icon: 'M2.5 4h11M2.5 8h11M2.5 12h7' },
  job: { title: 'Job', show: JobPage },
  new: { title: 'New job', show: NewJob },
  runs: { title: 'Runs', show: Runs, icon: 'M4.5 3v10l8-5z' },
  errors: { title: 'Errors', show: Errors, icon: 'M8 2.5 14 13.5H2zM8 6.5v3.5M8 11.7v.1' },
};

const RULES: Part = {
  schedules: { title: 'Schedules', show: Schedules, icon: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v3l2 1.5' },
  schedule: { title: 'Schedule', show: ScheduleScreen },
  limits: { title: 'Limits', show: Limits, icon: 'M3.2 12.5a6 6 0 1 1 9.6 0M8 9.5 10.5 6' },
  workers: {
    title: 'Workers',
    show: Workers,
    icon: 'M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14',
  },
};

const COURSE: Part = {
  picture: { title: 'Locks', show: Picture, icon: 'M3.5 7h9v6.5h-9zM5.5 7V5a2.5 2.5 0 0 1 5 0v2' },
  replay: { title: 'Replay', show: Replay, icon: 'M3 8a5 5 0 1 0 1.5-3.5L3 6M3 3v3h3' },
  audit: { title: 'Audit', show: Audit, icon: 'M4 2.5h8v11H4zM6 5.5h4M6 8h4M6 10.5h2.5' },
  history: { title: 'History', show: History, icon: 'M2.5 12.5 6 7.5l3 2.5 4.5-6.5' },
};

export const MENU: readonly Part[] = [WORK, RULES, COURSE];

export const SCREENS: Readonly<Record<string, Screen>> = { ...WORK, ...RULES, ...COURSE };
