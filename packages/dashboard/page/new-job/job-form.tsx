import type { JobView, Json, Stored } from '@rowlock/core';
import type { KindView } from '../../src/views.js';
import { usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { textIn } from '../parts/job-fields.js';
import { outcomeOf } from '../parts/use-change.js';
import { PayloadChange } from '../payload/payload-change.js';
import { Circumstances, circumstancesIn } from './circumstances.js';
import { useOnce } from './use-once.js';

interface Props {
  readonly kind: KindView;
  /** The job to be enqueued again. */
  readonly like?: Stored<JobView>;
}

/** The payload, and what else an enqueue takes. */
export function JobForm({ kind, like }: Props) {
  const { session, go } = usePage();
  const once = useOnce();
  // What is shown is not what a handler takes, so the server takes the job's own.
  const isHidden = like !== undefined && (session.redacted || isEncoded(like.payload));

  function enqueued(answer: unknown, form: FormData): string {
    go(addressOf('job', { id: String(Object(answer).publicId) }));
    return outcomeOf(answer) === 'duplicate' && textIn(form, 'unique') !== ''
      ? 'Nothing was enqueued: this job has the unique key.'
      : 'Enqueued.';
  }

  return (
    <PayloadChange
      schema={kind.schema}
      before={like?.payload}
      hidden={
        isHidden ? 'Payloads are hidden here. The new job gets the payload of the one before.' : undefined
      }
      path="enqueue"
      bodyOf={(form, payload) => {
        const job = {
          ...circumstancesIn(form),
          ...(like === undefined ? { kind: kind.kind } : { again: like.publicId }),
        };
        return { ...job, once: once({ job, payload }) };
      }}
      done={enqueued}
      action="Enqueue"
    >
      <Circumstances like={like} />
    </PayloadChange>
  );
}

/** Whether a codec keeps it from being read in the database. */
function isEncoded(payload: Json): boolean {
  return Object.hasOwn(Object(payload), 'rowlock.encoded');
}
