import type { DriverProcess } from './driver-harness.js';
import { until } from './until.js';

/** Has the server end every session of a process, and waits for that: what it is told to end it ends a moment later. */
export async function endSessions<Tx>(process: DriverProcess<Tx>): Promise<void> {
  const ended = new Set(await process.sessions());
  await process.disconnect();
  await until('the sessions have ended', async () =>
    (await process.sessions()).every((session) => !ended.has(session)),
  );
}
