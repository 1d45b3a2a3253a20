import { setTimeout as sleep } from 'node:timers/promises';
import { type AnyHandler, defineHandler, type RunContext } from '@rowlock/core';
import { z } from 'zod';
import type { HistoryFile } from './history/history-file.js';
import type { Mode } from './mode.js';
import type { System } from './system.js';

/** What the jobs of chaos ask for. */
export const Work = z.object({
  tag: z.string(),
  /** How long the handler takes, in milliseconds. */
  ms: z.number(),
  /** In how many attempts it throws before it completes. */
  failures: z.number().optional(),
  /** Whether it kills its process. */
  poison: z.boolean().optional(),
});

export type Work = z.output<typeof Work>;

/** The kinds of one mode: `hold.create`, … */
export const KINDS = ['create', 'update', 'plain', 'loose', 'poison'] as const;

export type Kind = (typeof KINDS)[number];

export const POISON_ATTEMPTS = 3;

/** Many: a fault may hit one job again and again, and none of the others is there to be used up. */
const ATTEMPTS = 100;

/** Shorter than any fault that is meant to outlast it. */
const TIMEOUT = '3s';

/**
 * The handlers of one mode. They write down what they do and pay no attention to their signal: a handler that goes on after
 * it was told to stop is the harder case.
 *
 * @param history undefined: for a client, which runs none of them
 */
export function handlers<Tx>(
  mode: Mode,
  { say, session, jobTable, keyColumn }: Pick<System<Tx>, 'say' | 'session' | 'jobTable' | 'keyColumn'>,
  history?: HistoryFile,
): AnyHandler<Tx>[] {
  async function run(context: RunContext<Work, Tx>): Promise<void> {
    if (history === undefined) throw new Error('A client runs no handlers.');
    const { jobs, job, key, processId, signal } = context;
    const kind = job.kind;
    const tags = jobs.map(({ payload }) => payload.tag);
    history.write({ what: 'begin', run: processId, mode, kind, key, jobs: tags, aborted: signal.aborted });
    const told = (): void => {
      history.write({ what: 'told', run: processId, reason: codeOf(signal.reason) });
    };
    signal.addEventListener('abort', told);
    try {
      await work(context, history);
      history.write({ what: 'end', run: processId });
    } catch (error) {
      history.write({ what: 'end', run: processId, error: codeOf(error) });
      throw error;
    } finally {
      signal.removeEventListener('abort', told);
    }
  }

  async function work(context: RunContext<Work, Tx>, history: HistoryFile): Promise<void> {
    const { jobs, job, processId } = context;
    if (mode === 'hold') await enter(context, history);
    if (job.payload.poison) {
      history.write({ what: 'dying', run: processId });
      process.kill(process.pid, 'SIGKILL');
    }
    await sleep(job.payload.ms);
    if (job.attempt <= (job.payload.failures ?? 0)) throw new Error('As was asked for.');
    for (const { payload } of jobs) history.write({ what: 'effect', run: processId, job: payload.tag });
    if (mode === 'lease') await enter(context, history);
    for (const { payload } of jobs)
      await say(context.tx, 'INSERT INTO chaos_effect (tag, run) VALUES (?, ?)', [payload.tag, processId]);
  }

  /** Says which session the transaction is in. The witness in the database: whoever else has a claim on the entity now is met here. */
  async function enter(
    { tx, key, processId: run }: RunContext<Work, Tx>,
    history: HistoryFile,
  ): Promise<void> {
    const [row] = await say(tx, `SELECT ${session} AS session`);
    history.write({ what: 'backend', run, session: Number(row?.session) });
    if (key === null) return;
    try {
      await say(tx, 'SELECT name FROM chaos_entity WHERE name = ? FOR UPDATE NOWAIT', [key]);
    } catch (error) {
      if (isRefusal(error)) history.write({ what: 'met', run, key });
      throw error;
    }
    const others = await say(
      tx,
      `SELECT process_id FROM ${jobTable} WHERE queue = ? AND ${keyColumn} = ? AND status = 'in-progress' AND process_id <> ?`,
      [mode, key, run],
    );
    if (others.length > 0) history.write({ what: 'met', run, key });
  }

  const define = (kind: Kind, more: { group?: boolean; after?: readonly string[]; attempts?: number } = {}) =>
    defineHandler<typeof Work, Tx>({
      kind: `${mode}.${kind}`,
      queue: mode,
      payload: Work,
      claim: mode,
      timeout: TIMEOUT,
      group: more.group ?? false,
      after: more.after ?? [],
      retry: { attempts: more.attempts ?? ATTEMPTS, base: '50ms', factor: 1.2, cap: '500ms' },
      run,
    });

  return [
    define('create'),
    define('update', { group: true, after: [`${mode}.create`] }),
    define('plain'),
    define('loose'),
    define('poison', { attempts: POISON_ATTEMPTS }),
  ];
}

/** NOWAIT's refusal, whichever database says it. */
function isRefusal(error: unknown): boolean {
  const { code, errno } = Object(error);
  return code === '55P03' || errno === 3572 || code === 'LockNotAvailable';
}

export function codeOf(error: unknown): string {
  const { code, message } = Object(error);
  return String(code ?? message ?? error);
}
