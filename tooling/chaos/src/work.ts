import { setTimeout as sleep } from 'node:timers/promises';
import {
  complete,
  defineHandler,
  fail,
  type Limit,
  type Outcome,
  type RunContext,
  type RunJob,
  retry,
  snooze,
} from '@rowlock/core';
import type { AnyHandler } from '@rowlock/core/driver';
import { z } from 'zod';
import type { HistoryFile } from './history/history-file.js';
import { runName } from './history/run-name.js';
import { hasLimits, type Mode } from './mode.js';
import { LIMIT_NAMES, LIMITS } from './slots.js';
import type { System } from './system.js';

/** How a job does not complete: the first four undo what its run wrote, the others are outcomes of its own. */
export const TROUBLES = [
  /** Throws before it writes, unless it writes early. */
  'throws',
  /** Throws when it has written. */
  'throws late',
  /** Writes, and lets a statement fail. */
  'breaks',
  /** The same, and completes all the same: Postgres lets nothing of that through. */
  'swallows',
  'retries',
  'snoozes',
  /** Gives up at once. */
  'fails',
] as const;

/** What the jobs of chaos ask for. */
export const Work = z.object({
  tag: z.string(),
  /** How long the handler takes, in milliseconds. */
  ms: z.number(),
  /** In how many attempts it does not complete. */
  failures: z.number().optional(),
  /** How it does not. */
  trouble: z.enum(TROUBLES).optional(),
  /** Whether it kills its process. */
  poison: z.boolean().optional(),
  /** Whether its run writes at its first line: in a batch it has the transaction from there on, and the others wait for it. */
  early: z.boolean().optional(),
  /** Whether its run throws what its signal was aborted with. */
  heeds: z.boolean().optional(),
  /** Whether its run tells how far it is. */
  tells: z.boolean().optional(),
  /** The names of its limits. */
  limits: z.array(z.enum(LIMIT_NAMES)).optional(),
});

export type Work = z.output<typeof Work>;

/** The kinds of each mode: `hold.create`, … */
const KINDS = ['create', 'update', 'plain', 'loose', 'poison'] as const;

/**
 * Those that `batch` has beside them: one whose runs leave `tx` alone, one whose runs have their transaction for themselves, and one
 * whose runs take several keys.
 */
const BATCH_KINDS = ['outside', 'single', 'wide'] as const;

export type Kind = (typeof KINDS)[number] | (typeof BATCH_KINDS)[number];

export const POISON_ATTEMPTS = 3;

/** Many: a fault may hit one job again and again, and none of the others is there to be used up. */
const ATTEMPTS = 100;

/** Shorter than any fault that is meant to outlast it. */
const TIMEOUT = '3s';

/** Jobs of one transaction, at most. */
const BATCH = 16;

/** All that an enqueue needs of a kind. */
export function enqueueable(mode: Mode, kind: Kind) {
  const attempts = kind === 'poison' ? POISON_ATTEMPTS : ATTEMPTS;
  return {
    ...{ kind: `${mode}.${kind}`, queue: mode, payload: Work, attempts },
    ...(hasLimits(mode) ? { limit: limitsOfWork } : {}),
  };
}

function limitsOfWork({ payload: { limits = [] } }: { readonly payload: Pick<Work, 'limits'> }): Limit[] {
  return limits.map((name) => ({ name, max: LIMITS[name] }));
}

/**
 * The handlers of one mode. They write down what they do and pay no attention to their signal, unless a job asks for it: a handler
 * that goes on after it was stopped is the harder case.
 */
export function handlers<Tx>(
  mode: Mode,
  { say, session, jobTable, keyColumn }: Pick<System<Tx>, 'say' | 'session' | 'jobTable' | 'keyColumn'>,
  history: HistoryFile,
): AnyHandler<Tx>[] {
  async function run(context: RunContext<Work, Tx>): Promise<ReadonlyMap<string, Outcome>> {
    const { jobs, job, key, runId, signal } = context;
    const kind = job.kind;
    const run = runName(runId, job.publicId);
    const { limits = [] } = job.payload;
    const tags = jobs.map(({ payload }) => payload.tag);
    history.write({ what: 'begin', run, mode, kind, key, jobs: tags, limits, aborted: signal.aborted });
    const noted = (): void => {
      history.write({ what: 'aborted', run, reason: codeOf(signal.reason) });
    };
    signal.addEventListener('abort', noted);
    try {
      const outcomes = await work(context, run, history);
      history.write({ what: 'end', run });
      return outcomes;
    } catch (error) {
      history.write({ what: 'end', run, error: codeOf(error) });
      throw error;
    } finally {
      signal.removeEventListener('abort', noted);
    }
  }

  async function work(
    context: RunContext<Work, Tx>,
    run: string,
    history: HistoryFile,
  ): Promise<ReadonlyMap<string, Outcome>> {
    const { jobs, job, signal } = context;
    const { ms, poison, early, heeds, tells } = job.payload;
    const writes = !job.kind.endsWith('.outside');
    if (tells) context.progress({ run });
    if (mode === 'hold') await enter(context, run, history);
    const outcomes = new Map(jobs.map((each) => [each.publicId, outcomeOf(each)]));
    const write = async (): Promise<void> => {
      const done = jobs.filter(({ publicId }) => outcomes.get(publicId)?.event === 'complete');
      for (const { payload } of done) history.write({ what: 'effect', run, job: payload.tag });
      if (writes && mode !== 'hold') await enter(context, run, history);
      if (writes) for (const { payload } of done) await effect(context, payload.tag);
    };
    if (early) await write();
    // In a batch the others are at work when it kills them.
    if (!poison || mode === 'batch') await sleep(ms);
    if (poison) {
      history.write({ what: 'dying', run });
      process.kill(process.pid, 'SIGKILL');
    }
    if (heeds) signal.throwIfAborted();
    const trouble = isTroubled(job) ? (job.payload.trouble ?? 'throws') : null;
    if (trouble === 'throws') throw new Error('As was asked for.');
    if (!early) await write();
    if (trouble === 'throws late') throw new Error('As was asked for, late.');
    if (writes && trouble === 'breaks') await say(context.tx, FAILING);
    if (writes && trouble === 'swallows') await say(context.tx, FAILING).catch(() => {});
    return outcomes;
  }

  async function effect({ tx, runId }: RunContext<Work, Tx>, tag: string): Promise<void> {
    await say(tx, 'INSERT INTO chaos_effect (tag, run) VALUES (?, ?)', [tag, runId]);
  }

  /** Says which session the transaction is in. The witness in the database: whoever else has a claim on the entity now is met here. */
  async function enter(
    { tx, jobs, runId }: RunContext<Work, Tx>,
    run: string,
    history: HistoryFile,
  ): Promise<void> {
    const [row] = await say(tx, `SELECT ${session} AS session`);
    history.write({ what: 'backend', run, session: Number(row?.session) });
    for (const key of new Set(jobs.map((job) => job.key)))
      if (key !== null) await meet(tx, key, runId, run, history);
  }

  async function meet(tx: Tx, key: string, runId: string, run: string, history: HistoryFile): Promise<void> {
    try {
      await say(tx, 'SELECT name FROM chaos_entity WHERE name = ? FOR UPDATE NOWAIT', [key]);
    } catch (error) {
      if (isRefusal(error)) history.write({ what: 'met', run, key });
      throw error;
    }
    const others = await say(
      tx,
      `SELECT process_id FROM ${jobTable} WHERE queue = ? AND ${keyColumn} = ? AND status = 'in-progress' AND process_id <> ?`,
      [mode, key, runId],
    );
    if (others.length > 0) history.write({ what: 'met', run, key });
  }

  const define = (
    kind: Kind,
    more: { group?: boolean | { keys: number }; after?: readonly string[]; batch?: number } = {},
  ) =>
    defineHandler({
      ...enqueueable(mode, kind),
      claim: mode === 'lease' ? 'lease' : 'hold',
      ...(mode === 'batch' ? { batch: more.batch ?? BATCH } : {}),
      timeout: TIMEOUT,
      group: more.group ?? false,
      after: more.after ?? [],
      retry: { base: '50ms', factor: 1.2, cap: '500ms' },
      run,
    });

  return [
    define('create'),
    define('update', { group: true, after: [`${mode}.create`] }),
    define('plain'),
    define('loose'),
    define('poison'),
    ...(mode === 'batch'
      ? [
          define('outside'),
          define('single', { batch: 1 }),
          define('wide', { group: { keys: BATCH }, batch: 1 }),
        ]
      : []),
  ];
}

/** A statement that no database understands. */
const FAILING = 'SELECT nothing FROM chaos_nowhere';

/** Whether this run is one of those in which it does not complete. A snooze is no attempt. */
function isTroubled({ payload, attempt, earlierRuns }: RunJob<Work>): boolean {
  const { trouble, failures = 0 } = payload;
  if (trouble === 'fails') return true;
  return trouble === 'snoozes' ? earlierRuns < failures : attempt <= failures;
}

/** How a job ends, if its run comes to an end. */
function outcomeOf(job: RunJob<Work>): Outcome {
  const trouble = isTroubled(job) ? job.payload.trouble : undefined;
  if (trouble === 'retries') return retry(new Error('As was asked for.'));
  if (trouble === 'snoozes') return snooze('50ms');
  return trouble === 'fails' ? fail(new Error('As was asked for.')) : complete();
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
