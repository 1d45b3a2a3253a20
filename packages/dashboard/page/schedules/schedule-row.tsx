import type { Stored } from '@rowlock/core';
import type { ScheduleView } from '@rowlock/core/types';
import { lasting } from '../format/times.js';
import { Act } from '../parts/act.js';
import { JobLink } from '../parts/job-link.js';
import { Time } from '../parts/time.js';
import { outcomeOf } from '../parts/use-change.js';
import { JobsOfSchedule } from './jobs-of-schedule.js';
import { Preview } from './preview.js';

export function ScheduleRow({ schedule }: { readonly schedule: Stored<ScheduleView> }) {
  const {
    name,
    kind,
    queue,
    cron,
    timeZone,
    everyMs,
    source,
    orphaned,
    nextAt,
    firedAt,
    skipped,
    broken,
    pausedAt,
    pausedBy,
  } = schedule;
  return (
    <tr>
      <th scope="row">
        {name}
        {orphaned && (
          <span class="state error" title="No live worker declares it. It fires all the same.">
            orphaned
          </span>
        )}
        {broken !== null && (
          <span class="state error" title={broken.error}>
            broken
          </span>
        )}
        {source === 'dynamic' && <span class="state new">dynamic</span>}
      </th>
      <td>
        {cron !== null && `${cron} ${timeZone}`}
        {everyMs !== null && `every ${lasting(everyMs)}`}
        {broken !== null && <p class="hint">{broken.error}</p>}
      </td>
      <td>
        <JobsOfSchedule kind={kind} queue={queue} />
      </td>
      <td>{pausedAt === null ? <Time at={nextAt} /> : '–'}</td>
      <td>
        <Time at={firedAt} />
        {skipped !== null && (
          <p class="hint">
            {skipped.count} skipped, the last of <Time at={skipped.lastTick} />, as{' '}
            <JobLink id={skipped.job} /> was outstanding
          </p>
        )}
      </td>
      <td>
        {pausedAt !== null && (
          <>
            <Time at={pausedAt} /> by {pausedBy}
          </>
        )}
      </td>
      <td>
        <span class="buttons">
          <Preview name={name} />
          <Act
            permission="schedules"
            path="schedules/run"
            body={{ name }}
            done={(answer) =>
              outcomeOf(answer) === 'duplicate'
                ? `Nothing was enqueued: an earlier job of ${name} is outstanding.`
                : `Enqueued a job of ${name}.`
            }
            label={`Run now ${name}`}
          >
            Run now
          </Act>
          {pausedAt === null ? (
            <Act
              permission="schedules"
              path="schedules/pause"
              body={{ name }}
              done={`Paused ${name}.`}
              label={`Pause ${name}`}
            >
              Pause
            </Act>
          ) : (
            <Act
              permission="schedules"
              path="schedules/resume"
              body={{ name }}
              done={`Resumed ${name}.`}
              label={`Resume ${name}`}
            >
              Resume
            </Act>
          )}
        </span>
      </td>
    </tr>
  );
}
