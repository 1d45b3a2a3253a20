import type { Stored } from '@rowlock/core';
import type { ScheduleView } from '@rowlock/core/types';
import { lasting } from '../format/times.js';
import { Act } from '../parts/act.js';
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
        {source === 'dynamic' && <span class="state new">dynamic</span>}
      </th>
      <td>{everyMs === null ? `${cron} ${timeZone}` : `every ${lasting(everyMs)}`}</td>
      <td>
        <JobsOfSchedule kind={kind} queue={queue} />
      </td>
      <td>{pausedAt === null ? <Time at={nextAt} /> : '–'}</td>
      <td>
        <Time at={firedAt} />
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
