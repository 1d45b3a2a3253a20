import type { Stored } from '@rowlock/core';
import type { ScheduleView } from '@rowlock/core/types';
import { useState } from 'preact/hooks';
import { textIn } from '../parts/job-fields.js';

type Missed = 'once' | 'skip' | 'all';

const MISSED: readonly (readonly [value: Missed, text: string])[] = [
  ['once', 'the newest is made up for'],
  ['skip', 'all are left out'],
  ['all', 'several are made up for'],
];

const OVERLAPS: readonly (readonly [value: ScheduleView['overlap'], text: string])[] = [
  ['skip', 'the tick is left out'],
  ['queue', 'its job waits for the earlier one'],
  ['allow', 'both may run at once'],
];

/** What becomes of ticks for which no worker was there, and of those that an earlier job is in the way of. */
export function Rules({ before }: { readonly before: Stored<ScheduleView> | undefined }) {
  const given = before?.missed ?? 'once';
  const [missed, setMissed] = useState<Missed>(typeof given === 'string' ? given : 'all');
  return (
    <fieldset class="filters">
      <legend class="unseen">Rules</legend>
      <label>
        While no worker runs
        <select
          name="missed"
          value={missed}
          onChange={({ currentTarget: { value } }) =>
            setMissed(MISSED.find(([each]) => each === value)?.[0] ?? 'once')
          }
        >
          {MISSED.map(([value, text]) => (
            <option value={value} key={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {missed === 'all' && (
        <label>
          How many are made up for
          <input
            type="number"
            name="most"
            min={1}
            max={1000}
            required
            defaultValue={typeof given === 'string' ? 10 : given.all.max}
          />
        </label>
      )}
      <label>
        Beside an earlier job
        <select name="overlap">
          {OVERLAPS.map(([value, text]) => (
            <option value={value} key={value} selected={value === (before?.overlap ?? 'skip')}>
              {text}
            </option>
          ))}
        </select>
      </label>
    </fieldset>
  );
}

/** As the server takes it. */
export function rulesIn(form: FormData): object {
  const missed = textIn(form, 'missed');
  return {
    overlap: textIn(form, 'overlap'),
    missed: missed === 'all' ? Number(form.get('most')) : missed,
  };
}
