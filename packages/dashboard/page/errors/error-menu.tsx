import type { Stored } from '@rowlock/core';
import { useState } from 'preact/hooks';
import type { ErrorGroup } from '../../src/views.js';
import { useCan } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { REDRIVE } from '../jobs/bulk-action.js';
import { BulkDialog } from '../jobs/bulk-dialog.js';
import { ChangeDialog } from '../parts/change-dialog.js';
import { type Item, Menu } from '../parts/menu.js';
import { useChange } from '../parts/use-change.js';

/** How long errors may be muted, in days. The first one has no end. */
const DAYS = [0, 1, 7, 30];

/** What can be done to the jobs of one error, and said of it. */
export function ErrorMenu({ group }: { readonly group: Stored<ErrorGroup> }) {
  const { id, code, kinds, filter, muted, note } = group;
  const [canRedrive, canRemark] = [useCan('redrive'), useCan('errors')];
  const { make } = useChange();
  const [open, setOpen] = useState<'redrive' | 'mute' | 'note'>();
  const items: readonly Item[] = [
    ...(canRedrive ? [{ text: 'Redrive …', onChoose: () => setOpen('redrive') }] : []),
    ...(canRemark
      ? [
          { text: 'Note …', onChoose: () => setOpen('note') },
          muted === null
            ? { text: 'Mute …', onChoose: () => setOpen('mute') }
            : {
                text: 'Unmute',
                onChoose: () => void make('errors/unmute', { id }, `${code} is no longer muted.`),
              },
        ]
      : []),
    ...(muted !== null || note !== null ? [{ text: 'All notes', to: addressOf('audit', { name: id }) }] : []),
  ];
  const close = (): void => setOpen(undefined);
  return (
    <>
      <Menu label={`Actions of ${code} of ${kinds.join(', ')}`} items={items} />
      {open === 'redrive' && <BulkDialog action={REDRIVE} filter={filter} onClose={close} />}
      {open === 'mute' && (
        <ChangeDialog
          title={`Mute ${code}?`}
          path="errors/mute"
          bodyOf={(form) => ({ id, until: daysFromNow(Number(form.get('days'))) })}
          done={() => `Muted ${code}.`}
          action="Mute"
          onClose={close}
        >
          <p>It is folded away here, for all. Its jobs, metrics and alerts stay as they are.</p>
          <label>
            For how long
            <select name="days">
              {DAYS.map((days) => (
                <option value={days} key={days}>
                  {days === 0 ? 'until it is unmuted' : days === 1 ? '1 day' : `${days} days`}
                </option>
              ))}
            </select>
          </label>
        </ChangeDialog>
      )}
      {open === 'note' && (
        <ChangeDialog
          title={`Note on ${code}`}
          path="errors/note"
          bodyOf={(form) => ({ id, text: form.get('text') })}
          done={() => `Noted on ${code}.`}
          action="Save"
          onClose={close}
        >
          <label>
            What the others should see: who works on it, since when, what to do
            <textarea name="text" rows={4} maxLength={512} required defaultValue={note?.text ?? ''} />
          </label>
        </ChangeDialog>
      )}
    </>
  );
}

function daysFromNow(days: number): Date | undefined {
  return days === 0 ? undefined : new Date(Date.now() + days * 86_400_000);
}
