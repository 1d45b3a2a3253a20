import type { Stored } from '@rowlock/core';
import type { ScheduleView } from '@rowlock/core/types';
import { number } from '../format/numbers.js';
import { lasting } from '../format/times.js';
import { addressOf } from '../frame/place.js';
import { JobLink } from '../parts/job-link.js';
import { Link } from '../parts/link.js';
import { Time } from '../parts/time.js';
import { ScheduleMenu } from './schedule-menu.js';

export function ScheduleRow({ schedule }: { readonly schedule: Stored<ScheduleView> }) {
  const {
    name,
    kind,
    queue,
    source,
    orphaned,
    nextAt,
    firedAt,
    skipped,
    broken,
    pausedAt,
    pausedBy,
    updatedBy,
  } = schedule;
  return (
    <tr>
      <th scope="row" class="long">
        {name}
        {pausedAt !== null && <span class="state paused">paused</span>}
        {broken !== null && <span class="state error">broken</span>}
        {orphaned && (
          <span class="state retry" title="No live worker declares it. It fires all the same.">
            orphaned
          </span>
        )}
        <div class="hint">{source === 'code' ? 'declared in code' : `set by ${updatedBy}`}</div>
      </th>
      <td data-name="When" class="long">
        {whenOf(schedule)}
        {broken !== null && <div class="bad">{broken.error}</div>}
      </td>
      <td data-name="Kind" class="double narrow">
        <Link to={addressOf('jobs', { kind, queue })}>{kind}</Link>
      </td>
      <td data-name="Next" class={pausedAt === null ? '' : 'narrow'}>
        {pausedAt === null ? (
          <Time at={nextAt} />
        ) : (
          <span class="hint">
            paused <Time at={pausedAt} /> by {pausedBy}
          </span>
        )}
      </td>
      <td data-name="Last" class={firedAt === null ? 'nought' : 'narrow'}>
        <Time at={firedAt} />
        {skipped !== null && (
          <div class="hint">
            {number(skipped.count)} left out, the last as <JobLink id={skipped.job} /> was outstanding
          </div>
        )}
      </td>
      <td class="end">
        <ScheduleMenu schedule={schedule} />
      </td>
    </tr>
  );
}

function whenOf({ cron, timeZone, everyMs }: Stored<ScheduleView>) {
  if (everyMs !== null) return <>every {lasting(everyMs)}</>;
  return (
    <>
      <code>{cron}</code> <span class="hint">{timeZone}</span>
    </>
  );
}
