import type { Json } from '@rowlock/core';
import type { PayloadIssue } from '@rowlock/core/types';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { RequestFailed } from '../frame/ask.js';
import { SignIn } from '../frame/sign-in.js';
import { markSaved, markUnsaved } from '../frame/unsaved.js';
import { Notice } from '../parts/notice.js';
import { useChange } from '../parts/use-change.js';
import { PayloadForm } from './payload-form.js';
import { messageOf } from './typed.js';
import { usePayload } from './use-payload.js';

interface Props {
  /** The JSON Schema of the payload, where there is one. */
  readonly schema: Json | null;
  /** The payload to begin with. */
  readonly before: Json | undefined;
  /** What stands in place of a payload that must not be seen. The server takes the one before. */
  readonly hidden: string | undefined;
  readonly path: string;
  /** What is sent beside the payload, which is undefined where the server takes the one before. */
  readonly bodyOf: (form: FormData, payload: Json | undefined) => object;
  /** Leads on, and returns what to say. */
  readonly done: (answer: unknown, form: FormData) => string;
  /** The name of the button. */
  readonly action: string;
  /** What is filled in before the payload. */
  readonly lead?: ComponentChildren;
  /** What is filled in after it. */
  readonly children: ComponentChildren;
}

interface Failure {
  readonly text: string;
  readonly issues: readonly PayloadIssue[];
  readonly isSignedOut: boolean;
}

const NONE: Failure = { text: '', issues: [], isSignedOut: false };

/** A payload, and what belongs to it. All that was typed stays until the server has it. */
export function PayloadChange(props: Props) {
  const { schema, before, hidden, path, bodyOf, done, action, lead, children } = props;
  const payload = usePayload(schema, before);
  const [failure, setFailure] = useState(NONE);
  const { isBusy, make } = useChange((refusal) => setFailure(failureOf(refusal)));

  async function send(form: HTMLFormElement): Promise<void> {
    const typed = new FormData(form);
    const read = payload.read();
    if (hidden === undefined && read.issues.length > 0)
      return setFailure({ ...NONE, text: 'Nothing was sent: see what is typed.', issues: read.issues });
    setFailure(NONE);
    try {
      const given = hidden === undefined ? read.payload : undefined;
      await make(path, { ...bodyOf(typed, given), payload: given }, (answer) => {
        markSaved(form);
        return done(answer, typed);
      });
    } catch (error) {
      setFailure({ ...NONE, text: messageOf(error) });
    }
  }

  return (
    <form
      class="panel payload-change"
      onInput={markUnsaved}
      onSubmit={(event) => {
        event.preventDefault();
        void send(event.currentTarget);
      }}
    >
      {lead}
      {hidden === undefined ? (
        <PayloadForm payload={payload} issues={failure.issues} />
      ) : (
        <p class="hint">{hidden}</p>
      )}
      {children}
      <Notice text={failure.text}>{failure.isSignedOut && <SignIn />}</Notice>
      <p class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          {action}
        </button>
      </p>
    </form>
  );
}

function failureOf({ message, issues, trouble }: RequestFailed): Failure {
  // Those stand beside what was typed.
  const text = issues.length > 0 ? 'Nothing was changed: the payload is refused.' : message;
  return { text, issues, isSignedOut: trouble === 'signed-out' };
}
