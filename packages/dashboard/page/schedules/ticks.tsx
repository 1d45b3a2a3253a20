import type { Stored } from '@rowlock/core';
import type { ScheduleView } from '@rowlock/core/types';
import type { TickView } from '../../src/views.js';
import { number } from '../format/numbers.js';
import { lasting } from '../format/times.js';
import { useAnswer } from '../frame/use-answer.js';
import { Dialog } from '../parts/dialog.js';
import { JobLink } from '../parts/job-link.js';
import { Notice } from '../parts/notice.js';
import { State } from '../parts/state.js';
import { Time } from '../parts/time.js';
import { NextTimes } from './next-times.js';

type Schedule = Stored<ScheduleView>;

/** A tick that comes so much after its time is called late, in milliseconds. */
const LATE_MS = 5_000;

interface Props {
  readonly schedule: Schedule;
  readonly onClose: () => void;
}

/** The ticks of a schedule that come, that came, and that were left out and why. */
export function Ticks({ schedule, onClose }: Props) {
  const { name, skipped } = schedule;
  const query = new URLSearchParams({ name });
  const { answer: next, problem } = useAnswer<readonly string[]>(`schedules/preview?${query}`, 0);
  const { answer: past, problem: unread } = useAnswer<readonly Stored<TickView>[]>(
    `schedules/ticks?${query}`,
    0,
  );
  return (
    <Dialog title={`The times of ${name}`} onClose={onClose}>
      <Notice text={problem || unread} />
      <h3>Next</h3>
      {next && <NextTimes times={next} />}
      <h3>Before</h3>
      <p class="hint">{leftOut(schedule)}</p>
      {skipped !== null && (
        <p>
          {number(skipped.count)} left out, the last of <Time at={skipped.lastTick} />, as{' '}
          <JobLink id={skipped.job} /> was outstanding.
        </p>
      )}
      {past?.length === 0 && <p class="hint">None of its jobs is there.</p>}
      <ol class="list">
        {past?.map(({ job, scheduledFor, lateMs, status }) => (
          <li key={job}>
            {new Date(scheduledFor).toLocaleString()}
            <JobLink id={job} />
            <State of={status} />
            {lateMs > LATE_MS && <span class="warn">{lasting(lateMs)} late, as no worker ran</span>}
          </li>
        ))}
      </ol>
      <p class="buttons">
        <button type="button" onClick={onClose}>
          Back
        </button>
      </p>
    </Dialog>
  );
}

/** By which rules it leaves out ticks. */
function leftOut({ missed, overlap }: Schedule): string {
  const missing =
    missed === 'skip'
      ? 'A tick that no worker was there for is left out'
      : missed === 'once'
        ? 'Of the ticks that no worker was there for, the last one is made up for'
        : `Of the ticks that no worker was there for, the last ${number(missed.all.max)} are made up for`;
  return overlap === 'skip'
    ? `${missing}. One is left out while an earlier job is outstanding.`
    : `${missing}. None is left out because of an earlier job.`;
}
