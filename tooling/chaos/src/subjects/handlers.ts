import { setTimeout as sleep } from 'node:timers/promises';
import { capturedJob, defineHandler, type RunContext } from '@rowlock/core';
import type { AnyHandler } from '@rowlock/core/driver';
import { z } from 'zod';
import type { HistoryFile } from '../history/history-file.js';
import type { System } from '../system.js';
import { captureOf } from './captures.js';
import { ATTEMPTS, kindOf, queueOf, RATE, type SubjectMode } from './kinds.js';

/** All that an enqueue needs of the jobs whose starts have a rate. */
export function counted(mode: SubjectMode) {
  return {
    ...{ kind: kindOf(mode, 'counted'), queue: queueOf(mode), attempts: ATTEMPTS, limit: RATE },
    payload: z.object({ ms: z.number(), failures: z.number() }),
  };
}

/** The handlers of the subjects' jobs. Each leaves a mark of each of its jobs, through its transaction. */
export function subjectHandlers<Tx>(
  mode: SubjectMode,
  { say }: Pick<System<Tx>, 'say'>,
  history: HistoryFile,
): AnyHandler<Tx>[] {
  const options = { claim: mode, timeout: '3s', retry: { base: '50ms', factor: 1.2, cap: '500ms' } } as const;

  async function mark({ tx, jobs }: RunContext<unknown, Tx>): Promise<void> {
    for (const { publicId } of jobs) await say(tx, 'INSERT INTO chaos_mark (job) VALUES (?)', [publicId]);
  }

  function enter({ job: { publicId, kind } }: RunContext<unknown, Tx>): void {
    history.write({ what: 'entered', publicId, queue: queueOf(mode), kind });
  }

  return [
    defineHandler({
      ...options,
      ...{ kind: kindOf(mode, 'tick'), queue: queueOf(mode), attempts: ATTEMPTS },
      payload: z.object({ version: z.number() }),
      async run(context: RunContext<{ version: number }, Tx>) {
        enter(context);
        await mark(context);
      },
    }),

    defineHandler({
      ...options,
      ...capturedJob(captureOf(mode)),
      group: true,
      // Copies the row as it is now.
      async run(context) {
        const { key, tx } = context as unknown as RunContext<unknown, Tx>;
        enter(context as unknown as RunContext<unknown, Tx>);
        const row = [mode, Number(key)];
        await say(tx, 'DELETE FROM chaos_copy WHERE mode = ? AND id = ?', row);
        await say(tx, 'INSERT INTO chaos_copy SELECT ?, id, version FROM chaos_row WHERE id = ?', row);
        await mark(context as unknown as RunContext<unknown, Tx>);
      },
    }),

    defineHandler({
      ...options,
      ...counted(mode),
      async run(context: RunContext<{ ms: number; failures: number }, Tx>) {
        enter(context);
        const { attempt, payload } = context.job;
        await sleep(payload.ms);
        await mark(context);
        if (attempt <= payload.failures) throw new Error('As was asked for.');
      },
    }),
  ];
}
