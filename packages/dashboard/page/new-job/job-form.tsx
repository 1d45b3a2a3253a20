import type { Enqueued, JobView, Json, Stored } from '@rowlock/core';
import type { PayloadIssue } from '@rowlock/core/types';
import { useState } from 'preact/hooks';
import type { KindView } from '../../src/views.js';
import { change, RequestFailed } from '../frame/ask.js';
import { usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { SignIn } from '../frame/sign-in.js';
import { Notice } from '../parts/notice.js';
import { Circumstances, circumstancesIn } from './circumstances.js';
import { PayloadForm } from './payload-form.js';
import { usePayload } from './use-payload.js';

interface Props {
  readonly kind: KindView;
  /** The job to be enqueued again. */
  readonly like?: Stored<JobView>;
}

interface Failure {
  readonly text: string;
  readonly issues: readonly PayloadIssue[];
  readonly isSignedOut: boolean;
}

const NONE: Failure = { text: '', issues: [], isSignedOut: false };

/** The payload, and what else an enqueue takes. All that was typed stays until there is a job. */
export function JobForm({ kind, like }: Props) {
  const { session, go, tell } = usePage();
  const payload = usePayload(kind.schema, like?.payload);
  const [failure, setFailure] = useState(NONE);
  const [isBusy, setBusy] = useState(false);
  // What is shown is not what a handler takes, so the server takes the job's own.
  const isHidden = like !== undefined && (session.redacted || isEncoded(like.payload));

  async function enqueue(form: FormData): Promise<void> {
    const read = payload.read();
    const { issues } = read;
    if (!isHidden && issues.length > 0)
      return setFailure({ ...NONE, text: 'Nothing was sent: see what is typed.', issues });
    setBusy(true);
    setFailure(NONE);
    try {
      const response = await change('enqueue', {
        ...circumstancesIn(form),
        ...(like === undefined ? { kind: kind.kind } : { again: like.publicId }),
        ...(!isHidden && { payload: read.payload }),
      });
      const { outcome, publicId }: Enqueued = await response.json();
      go(addressOf('job', { id: publicId }));
      tell(outcome === 'duplicate' ? 'Nothing was enqueued: this job has the unique key.' : 'Enqueued.');
    } catch (error) {
      setFailure(failureOf(error));
      setBusy(false);
    }
  }

  return (
    <form
      class="panel new-job"
      onSubmit={(event) => {
        event.preventDefault();
        void enqueue(new FormData(event.currentTarget));
      }}
    >
      {isHidden ? (
        <p class="hint">Payloads are hidden here. The new job gets the payload of the one before.</p>
      ) : (
        <PayloadForm payload={payload} issues={failure.issues} />
      )}
      <Circumstances like={like} />
      <Notice text={failure.text}>{failure.isSignedOut && <SignIn />}</Notice>
      <p class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          Enqueue
        </button>
      </p>
    </form>
  );
}

/** Whether a codec keeps it from being read in the database. */
function isEncoded(payload: Json): boolean {
  return Object.hasOwn(Object(payload), 'rowlock.encoded');
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof RequestFailed)) return { ...NONE, text: String(error) };
  const { message, issues, trouble } = error;
  // Those stand beside what was typed.
  const text = issues.length > 0 ? 'Nothing was enqueued: the payload is refused.' : message;
  return { text, issues, isSignedOut: trouble === 'signed-out' };
}
