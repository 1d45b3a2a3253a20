import type { PayloadIssue } from '@rowlock/core/types';
import { useId } from 'preact/hooks';
import type { Field } from './fields.js';
import { nameOf, type Typed } from './typed.js';

interface Props {
  readonly field: Field;
  readonly typed: Typed;
  readonly issues: readonly PayloadIssue[];
  readonly onType: (name: string, value: string | boolean) => void;
}

/** A member of the payload with what its schema says of it, and what is wrong with it. */
export function PayloadField({ field, typed, issues, onType }: Props) {
  const id = useId();
  const { as, path, name, hint, isRequired } = field;
  if (as.type === 'group')
    return (
      <fieldset class="members">
        <legend>{name}</legend>
        {as.fields.map((each) => (
          <PayloadField field={each} typed={typed} issues={issues} onType={onType} key={each.name} />
        ))}
      </fieldset>
    );
  const own = nameOf(path);
  const value = typed[own] ?? '';
  const wrong = issues.filter((issue) => isAbout(issue, field));
  const described = {
    id,
    'aria-invalid': wrong.length > 0,
    'aria-describedby': `${id}-hint ${id}-wrong`,
  };
  return (
    <div class="field">
      <label for={id}>
        {name}
        {isRequired && <span class="hint"> (required)</span>}
      </label>
      {as.type === 'boolean' ? (
        <input
          {...described}
          type="checkbox"
          checked={value === true}
          onChange={({ currentTarget }) => onType(own, currentTarget.checked)}
        />
      ) : as.type === 'choice' ? (
        <select
          {...described}
          value={String(value)}
          onChange={({ currentTarget }) => onType(own, currentTarget.value)}
        >
          <option value="">–</option>
          {as.of.map((choice, place) => (
            <option value={place} key={place}>
              {typeof choice === 'string' ? choice : JSON.stringify(choice)}
            </option>
          ))}
        </select>
      ) : as.type === 'json' ? (
        <textarea
          {...described}
          rows={3}
          spellcheck={false}
          placeholder="JSON"
          value={String(value)}
          onInput={({ currentTarget }) => onType(own, currentTarget.value)}
        />
      ) : (
        <input
          {...described}
          type="text"
          inputMode={as.type === 'number' ? 'decimal' : undefined}
          value={String(value)}
          onInput={({ currentTarget }) => onType(own, currentTarget.value)}
        />
      )}
      <span class="hint" id={`${id}-hint`}>
        {hint}
      </span>
      <span class="bad" id={`${id}-wrong`}>
        {wrong
          .map(({ message, path: at }) => `${at.slice(path.length).join('.')} ${message}`.trim())
          .join('; ')}
      </span>
    </div>
  );
}

/** Also what is wrong deeper, as nothing else stands for it. */
export function isAbout({ path }: PayloadIssue, field: Field): boolean {
  if (field.as.type === 'group') return field.as.fields.some((each) => isAbout({ path, message: '' }, each));
  return field.path.every((name, place) => String(path[place]) === name);
}
