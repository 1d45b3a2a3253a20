import type { Stored } from '@rowlock/core';
import type { LimitView } from '@rowlock/core/types';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useCan } from '../frame/page.js';
import { ChangeDialog } from '../parts/change-dialog.js';

interface Props {
  /** The limit to set. Without one, its name is asked for. */
  readonly limit?: Stored<LimitView>;
  /** The button's name for a screen reader. */
  readonly label: string;
  readonly children: ComponentChildren;
}

/** Sets the numbers of a limit. Begins with those of today. */
export function SetLimit({ limit, label, children }: Props) {
  const can = useCan('limits');
  const [isOpen, setOpen] = useState(false);
  if (!can) return null;
  const nameIn = (form: FormData): string => limit?.name ?? String(form.get('name'));

  function numbers(form: FormData): object {
    const [max, starts, seconds, burst] = ['max', 'starts', 'seconds', 'burst'].map((each) => {
      const text = form.get(each);
      return text === null || text === '' ? undefined : Number(text);
    });
    // What is undefined is not sent, and is as the handlers say.
    const per = seconds === undefined ? undefined : Math.round(seconds * 1000);
    return { name: nameIn(form), max, starts, per, burst };
  }

  return (
    <>
      <button type="button" class="small" aria-label={label} onClick={() => setOpen(true)}>
        {children}
      </button>
      {isOpen && (
        <ChangeDialog
          title={label}
          path="limits/set"
          bodyOf={numbers}
          done={(_, form) => `Set the limit ${nameIn(form)}.`}
          action="Set"
          onClose={() => setOpen(false)}
        >
          <p>What is left empty is as the handlers say.</p>
          {limit === undefined && (
            <label>
              Name of the limit
              <input name="name" required maxLength={128} />
            </label>
          )}
          <Count name="max" title="How many at once" most={1_000} value={limit?.max} />
          <Count name="starts" title="How many starts" most={1_000_000} value={limit?.starts} />
          <label>
            In how many seconds
            <input
              type="number"
              name="seconds"
              min={0.001}
              max={2678400}
              step="any"
              defaultValue={typeof limit?.perMs === 'number' ? limit.perMs / 1000 : ''}
            />
          </label>
          <Count name="burst" title="How many starts at once" most={1_000} value={limit?.burst} />
        </ChangeDialog>
      )}
    </>
  );
}

interface CountProps {
  readonly name: string;
  readonly title: string;
  readonly most: number;
  readonly value: number | null | undefined;
}

function Count({ name, title, most, value }: CountProps) {
  return (
    <label>
      {title}
      <input type="number" name={name} min={1} max={most} defaultValue={value ?? ''} />
    </label>
  );
}
