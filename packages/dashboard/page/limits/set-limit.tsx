import type { Stored } from '@rowlock/core';
import type { LimitView } from '@rowlock/core/types';
import { useId, useState } from 'preact/hooks';
import { counted, number } from '../format/numbers.js';
import { ChangeDialog } from '../parts/change-dialog.js';

interface Props {
  readonly limits: readonly Stored<LimitView>[];
  /** The name to begin with. Empty: it is asked for. */
  readonly asked: string;
  readonly onClose: () => void;
}

/** Sets the numbers of a limit. Begins with those of today, also of one whose name is typed. Numbers that were typed stay. */
export function SetLimit({ limits, asked, onClose }: Props) {
  const [name, setName] = useState(asked);
  const names = useId();
  const today = limits.find((each) => each.name === name);
  return (
    <ChangeDialog
      title="Set a limit"
      path="limits/set"
      bodyOf={(form) => ({ ...numbersIn(form), setAt: today?.setAt ?? null })}
      done={() => `Set the limit ${name}.`}
      action="Set"
      onClose={onClose}
    >
      <label>
        Name of the limit
        <input
          name="name"
          required
          maxLength={128}
          list={names}
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <datalist id={names}>
          {limits.map((each) => (
            <option value={each.name} key={each.name} />
          ))}
        </datalist>
      </label>
      <p class="hint">
        {today === undefined
          ? 'What is left empty is as the handlers say.'
          : `Now ${number(today.taken)} are taken and ${counted(today.waiting)} wait. What is left empty is as the handlers say.`}
      </p>
      <div class="pair">
        <Count name="max" title="How many at once" most={1_000} value={today?.max} />
        <Count name="starts" title="How many starts" most={1_000_000} value={today?.starts} />
        <label>
          In how many seconds
          <input
            type="number"
            name="seconds"
            min={0.001}
            max={2678400}
            step="any"
            defaultValue={typeof today?.perMs === 'number' ? today.perMs / 1000 : ''}
          />
        </label>
        <Count name="burst" title="How many starts at once" most={1_000} value={today?.burst} />
      </div>
    </ChangeDialog>
  );
}

/** What is undefined is not sent, and is as the handlers say. */
function numbersIn(form: FormData): object {
  const [max, starts, seconds, burst] = ['max', 'starts', 'seconds', 'burst'].map((each) => {
    const text = form.get(each);
    return text === null || text === '' ? undefined : Number(text);
  });
  const per = seconds === undefined ? undefined : Math.round(seconds * 1000);
  return { name: form.get('name'), max, starts, per, burst };
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
