import type { Stored } from '@rowlock/core';
import type { ScheduleView } from '@rowlock/core/types';
import { useEffect, useState } from 'preact/hooks';
import { ask } from '../frame/ask.js';
import { textIn } from '../parts/job-fields.js';
import { durationOf } from './duration.js';
import { NextTimes } from './next-times.js';

/** By which of the two a schedule has its times. */
type By = 'cron' | 'every';

/** The names of the fields. The server takes them as they are. */
const FIELDS = ['cron', 'timeZone', 'every', 'jitter'];

/** When a schedule fires, with the next times of what is typed. */
export function Times({ before }: { readonly before: Stored<ScheduleView> | undefined }) {
  const [by, setBy] = useState<By>(typeof before?.everyMs === 'number' ? 'every' : 'cron');
  const [typed, setTyped] = useState<string>();
  return (
    <fieldset
      class="payload"
      onChange={({ currentTarget: { form } }) => form && setTyped(queryOf(new FormData(form)))}
    >
      <legend>Times</legend>
      <div class="filters">
        <label>
          Fires
          <select
            value={by}
            onChange={({ currentTarget }) => setBy(currentTarget.value === 'every' ? 'every' : 'cron')}
          >
            <option value="cron">by a cron expression</option>
            <option value="every">at equal distances</option>
          </select>
        </label>
        {by === 'cron' ? (
          <>
            <label>
              Cron expression
              <input name="cron" required placeholder="0 3 * * *" defaultValue={before?.cron ?? ''} />
            </label>
            <label>
              Time zone
              <input name="timeZone" list="zones" defaultValue={before?.timeZone ?? zoneHere()} />
              <datalist id="zones">
                {Intl.supportedValuesOf('timeZone').map((zone) => (
                  <option value={zone} key={zone} />
                ))}
              </datalist>
            </label>
          </>
        ) : (
          <label>
            Every
            <input name="every" required placeholder="15m" defaultValue={durationOf(before?.everyMs)} />
          </label>
        )}
        <label>
          Spread over
          <input name="jitter" placeholder="0s" defaultValue={durationOf(before?.jitterMs)} />
        </label>
      </div>
      {typed !== undefined && <Preview query={typed} key={typed} />}
    </fieldset>
  );
}

/** Asks once for each text that was typed, because what is refused stays so. */
function Preview({ query }: { readonly query: string }) {
  const [times, setTimes] = useState<readonly string[]>();
  const [problem, setProblem] = useState('');

  useEffect(() => {
    const ended = new AbortController();
    ask<readonly string[]>(`schedules/preview?${query}`, ended.signal).then(setTimes, (error: Error) => {
      if (!ended.signal.aborted) setProblem(error.message);
    });
    return () => ended.abort();
  }, [query]);

  return (
    <div role="status">
      {times && <NextTimes times={times} />}
      <span class="bad">{problem}</span>
    </div>
  );
}

/** As the server takes it. */
export function timesIn(form: FormData): object {
  return Object.fromEntries(FIELDS.map((name) => [name, textIn(form, name).trim()]));
}

function queryOf(form: FormData): string {
  return String(new URLSearchParams(Object.entries(timesIn(form))));
}

function zoneHere(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
