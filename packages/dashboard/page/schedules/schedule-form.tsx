import type { Stored } from '@rowlock/core';
import type { ScheduleView } from '@rowlock/core/types';
import { useState } from 'preact/hooks';
import type { KindView } from '../../src/views.js';
import { usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { KeyField, PriorityField, priorityIn, textIn } from '../parts/job-fields.js';
import { PayloadChange } from '../payload/payload-change.js';
import { Rules, rulesIn } from './rules.js';
import { Times, timesIn } from './times.js';

interface Props {
  readonly kind: KindView;
  /** The schedule to be changed. */
  readonly before?: Stored<ScheduleView>;
}

/** What a schedule enqueues, when, and what becomes of ticks that cannot come on time. */
export function ScheduleForm({ kind, before: given }: Props) {
  const { session, go } = usePage();
  // As it was when the form was opened: a change of somebody else is refused, and is not overwritten.
  const [before] = useState(given);

  function done(_: unknown, form: FormData): string {
    go(addressOf('schedules'));
    return `Set the schedule ${before?.name ?? textIn(form, 'name')}.`;
  }

  return (
    <PayloadChange
      schema={kind.schema}
      before={before?.payload}
      hidden={
        before !== undefined && session.redacted
          ? 'Payloads are hidden here. The schedule keeps the payload that it has.'
          : undefined
      }
      path="schedules/set"
      bodyOf={(form) => ({
        key: textIn(form, 'key'),
        priority: priorityIn(form),
        ...timesIn(form),
        ...rulesIn(form),
        ...(before === undefined
          ? { kind: kind.kind, name: textIn(form, 'name') }
          : { name: before.name, updatedAt: before.updatedAt }),
      })}
      done={done}
      action={before === undefined ? 'Set the schedule' : 'Save'}
      lead={
        before === undefined && (
          <label>
            Name of the schedule
            <input name="name" required maxLength={128} />
          </label>
        )
      }
    >
      <Times before={before} />
      <Rules before={before} />
      <fieldset class="filters">
        <legend class="unseen">Beside which jobs</legend>
        <KeyField value={before?.key ?? null} />
        <PriorityField value={before?.priority ?? 0} />
      </fieldset>
    </PayloadChange>
  );
}
