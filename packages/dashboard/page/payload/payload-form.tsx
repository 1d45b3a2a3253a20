import type { PayloadIssue } from '@rowlock/core/types';
import { useState } from 'preact/hooks';
import { isAbout, PayloadField } from './payload-field.js';
import type { TypedPayload } from './use-payload.js';

interface Props {
  readonly payload: TypedPayload;
  readonly issues: readonly PayloadIssue[];
}

/** The payload in fields, or as JSON, with its issues beside what was typed. */
export function PayloadForm({ payload, issues }: Props) {
  const { fields, typed, text } = payload;
  const [problem, setProblem] = useState('');
  const isText = fields === null || text !== null;
  const rest = isText ? issues : issues.filter((issue) => !fields.some((field) => isAbout(issue, field)));

  function turn(): void {
    setProblem(payload.turn());
  }

  return (
    <fieldset class="payload">
      <legend>Payload</legend>
      {isText ? (
        <textarea
          rows={12}
          aria-label="Payload as JSON"
          aria-invalid={issues.length > 0}
          aria-describedby="payload-issues"
          spellcheck={false}
          value={text ?? ''}
          onInput={({ currentTarget }) => payload.write(currentTarget.value)}
        />
      ) : (
        fields.map((field) => (
          <PayloadField field={field} typed={typed} issues={issues} onType={payload.type} key={field.name} />
        ))
      )}
      <ul class="bad" id="payload-issues">
        {rest.map(({ path, message }) => (
          <li key={`${path.join('.')} ${message}`}>
            {path.length > 0 && <code>{path.join('.')}</code>} {message}
          </li>
        ))}
        {problem !== '' && <li>{problem}</li>}
      </ul>
      {fields !== null && (
        <p class="buttons">
          <button type="button" class="small" onClick={turn}>
            {isText ? 'In fields' : 'As JSON'}
          </button>
        </p>
      )}
    </fieldset>
  );
}
