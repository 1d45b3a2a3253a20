import type { Driver } from '@rowlock/core';
import type { Anchor } from '@rowlock/core/driver';
import type { Actor } from '../parts.js';
import type { Names } from './names.js';
import { HOUR_MS } from './time.js';

/** A worker's session, and what ends its listening to wake-ups: some drivers look after the session while somebody listens. */
export interface Session {
  readonly anchor: Anchor;
  readonly listening: AbortController;
}

export async function openSession<Tx>(
  driver: Driver<Tx>,
  names: Names,
  host: Actor,
  back: () => void,
): Promise<Session> {
  const { queues } = names;
  const info = { name: `worker ${names.workers.length}`, host, pid: 1, queues };
  const anchor = await driver.workers.anchor(info, { lost: () => {}, back });
  const session = { anchor, listening: new AbortController() };
  names.addWorker(anchor.workerId);
  void listen(session, queues);
  return session;
}

export function endSession({ anchor, listening }: Session): Promise<void> {
  listening.abort();
  return anchor.release();
}

async function listen({ anchor, listening: { signal } }: Session, queues: readonly string[]): Promise<void> {
  for await (const _ of anchor.wakeUps({ queues, everyMs: HOUR_MS, signal })) if (signal.aborted) return;
}
