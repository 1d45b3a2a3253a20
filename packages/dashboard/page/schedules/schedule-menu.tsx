import type { Stored } from '@rowlock/core';
import type { ScheduleView } from '@rowlock/core/types';
import { useState } from 'preact/hooks';
import { useCan } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { ChangeDialog } from '../parts/change-dialog.js';
import { type Item, Menu } from '../parts/menu.js';
import { outcomeOf, useChange } from '../parts/use-change.js';
import { useCanSet } from './schedule-screen.js';
import { Ticks } from './ticks.js';

/** What can be done to a schedule. Its times may be seen by all. */
export function ScheduleMenu({ schedule }: { readonly schedule: Stored<ScheduleView> }) {
  const { name, source, pausedAt } = schedule;
  const can = useCan('schedules');
  const canSet = useCanSet();
  const { make } = useChange();
  const [open, setOpen] = useState<'times' | 'remove'>();
  const change = (path: string, done: string): void => void make(`schedules/${path}`, { name }, done);
  const items: readonly Item[] = [
    { text: 'Times …', onChoose: () => setOpen('times') },
    ...(canSet && source === 'dynamic' ? [{ text: 'Change …', to: addressOf('schedule', { name }) }] : []),
    ...(can
      ? [
          { text: 'Run now', onChoose: () => void make('schedules/run', { name }, ranNow) },
          pausedAt === null
            ? { text: 'Pause', onChoose: () => change('pause', `Paused ${name}.`) }
            : { text: 'Resume', onChoose: () => change('resume', `Resumed ${name}.`) },
          ...(source === 'dynamic' ? [{ text: 'Remove …', onChoose: () => setOpen('remove') }] : []),
        ]
      : []),
  ];

  function ranNow(answer: unknown): string {
    return outcomeOf(answer) === 'duplicate'
      ? `Nothing was enqueued: an earlier job of ${name} is outstanding.`
      : `Enqueued a job of ${name}.`;
  }

  const close = (): void => setOpen(undefined);
  return (
    <>
      <Menu label={`Actions of the schedule ${name}`} items={items} />
      {open === 'times' && <Ticks schedule={schedule} onClose={close} />}
      {open === 'remove' && (
        <ChangeDialog
          title={`Remove ${name}?`}
          path="schedules/remove"
          bodyOf={() => ({ name })}
          done={() => `Removed ${name}.`}
          action="Remove"
          onClose={close}
        >
          <p>It fires no more. Its jobs stay.</p>
        </ChangeDialog>
      )}
    </>
  );
}
