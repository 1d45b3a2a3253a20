import type { JobError } from '@rowlock/core';
import { Lines, Stack } from '../parts/lines.js';
import { LongText } from '../parts/long-text.js';

/** An error with its details, and where it was thrown. */
export function JobErrorPanel({ error }: { readonly error: JobError | null }) {
  if (error === null) return null;
  const { code, message, details, stack } = error;
  return (
    <section class="panel">
      <h2>Error</h2>
      <p class="long">
        <b>{code}</b> <LongText text={message} />
      </p>
      {details !== undefined && <Lines text={JSON.stringify(details, null, 2)} />}
      {stack !== undefined && <Stack text={stack} />}
    </section>
  );
}
