import { LimitedJobs } from './admission/limited-jobs.js';
import { pausedWork } from './admission/paused-work.js';
import { RatedStarts } from './admission/rated-starts.js';
import type { DeclaredCaptures } from './captures/declared.js';
import { Uncaptured } from './captures/uncaptured.js';
import { Expiries } from './expiry/expiries.js';
import { Followers } from './followers/followers.js';
import { Pruner } from './history/pruner.js';
import type { RetentionLimits } from './history/retention.js';
import { Statistics } from './history/statistics.js';
import { Unserved } from './insight/unserved.js';
import type { DeclaredSchedules } from './schedules/declared.js';
import { Ticks } from './schedules/ticks.js';
import { Cancellations } from './worker/look/cancellations.js';
import type { MakeParts } from './worker/part.js';
import { LineReporter } from './worker/report/line-reporter.js';

/** What a program has declared. */
interface Declared {
  readonly retention: RetentionLimits;
  readonly schedules: DeclaredSchedules;
  readonly captures: DeclaredCaptures;
}

/** The parts of a worker, one for each subject: a new subject is a line here. */
export function workerParts({ retention, schedules, captures }: Declared): MakeParts {
  return (worker) => [
    ...(retention.any || retention.auditMs < Number.POSITIVE_INFINITY || worker.hasLimits
      ? [new Pruner({ ...worker, limits: retention })]
      : []),
    pausedWork(worker),
    new Statistics(worker),
    new LineReporter(worker),
    new LimitedJobs({ ...worker, starts: new RatedStarts(worker) }),
    new Ticks({ ...worker, isDeclared: schedules.names.length > 0 }),
    new Followers(worker),
    new Expiries(worker),
    new Unserved(worker),
    new Uncaptured({ ...worker, captures: captures.all }),
    new Cancellations(worker),
  ];
}
