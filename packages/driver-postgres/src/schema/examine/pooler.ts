import type { Fault } from '@rowlock/core/driver';

/** Whether connections share sessions, as behind a pooler in transaction mode. */
export async function pooler(sharesSessions: () => Promise<boolean>): Promise<readonly Fault[]> {
  if (!(await sharesSessions())) return [];
  return [
    {
      severity: 'warning',
      what: "The connections share the server's sessions, as behind a pooler in transaction mode.",
      why: 'A heartbeat proves workers alive, wake-ups are polled, and a dead worker is noticed after 5 s.',
      remedy:
        'Connect the workers to the server itself, or to a pool in session mode. Producers may stay behind the pooler.',
    },
  ];
}
