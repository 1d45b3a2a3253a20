import type { JobView, Stored } from '@rowlock/core';

/** What an enqueue takes beside the payload. */
export function Circumstances({ like }: { readonly like: Stored<JobView> | undefined }) {
  return (
    <fieldset class="filters">
      <legend class="unseen">When, and beside which jobs</legend>
      <label>
        Key
        <input name="key" defaultValue={like?.key ?? ''} maxLength={512} />
      </label>
      <label>
        Not before
        <input type="datetime-local" name="runAt" />
      </label>
      <label>
        Priority (lower runs sooner)
        <input
          type="number"
          name="priority"
          min={-32768}
          max={32767}
          required
          defaultValue={like?.priority ?? 0}
        />
      </label>
      <label>
        Unique key
        <input name="unique" maxLength={512} />
      </label>
    </fieldset>
  );
}

/** As the server takes it. */
export function circumstancesIn(form: FormData): object {
  const [key, runAt, priority, unique] = ['key', 'runAt', 'priority', 'unique'].map((name) =>
    String(form.get(name) ?? ''),
  );
  return {
    key,
    unique,
    priority: Number(priority),
    ...(runAt && { runAt: new Date(runAt).toISOString() }),
  };
}
