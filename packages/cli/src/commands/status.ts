import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from '@commander-js/extra-typings';
import { isDriverError } from '@rowlock/core';
import type { LaneStats, PauseView, Stats, WorkerView } from '@rowlock/core/types';
import type { CommandContext, Session } from '../command-context.js';
import { LANE_COLUMNS } from '../output/lane-columns.js';
import type { Column } from '../output/table.js';
import { counted, lasting, number } from '../output/values.js';
import { interval } from '../times.js';
import { pauseSentence } from './pauses/pause-sentence.js';

export const status = (context: CommandContext) =>
  new Command('status')
    .description('how many jobs wait, run and fail; workers, pauses, and jobs that nobody serves')
    .option('--watch', 'again and again, until Ctrl-C')
    .option('--every <duration>', 'how often with --watch', interval, 2_000)
    .action(({ watch = false, every }) =>
      context.withDatabase(async (session) => {
        const first = await look(session);
        // Read ahead of the first output, behind which a reader may send the signal.
        const { signal } = session.terminal;
        show(session, first, watch);
        if (watch) await watchOn(session, every, signal);
      }),
    );

/** Moves to the top left, and clears what is below. */
const CLEAR = '\u001b[H\u001b[J';

/** An outage is what is watched for: it is told once, and the looks go on. */
async function watchOn(session: Session, every: number, signal: AbortSignal): Promise<void> {
  let told = '';
  // A look that a silent server does not answer is not waited for.
  const stopped = once(signal, 'abort').then(() => undefined);
  while (await rest(every, signal)) {
    const state = await Promise.race([look(session), stopped]).catch((error: unknown) => {
      if (!isDriverError(error) || !error.isRetryable) throw error;
      if (error.code !== told) session.complaints.say(error);
      told = error.code;
    });
    if (state === undefined) continue;
    told = '';
    show(session, state, true);
  }
}

async function look({ rowlock }: Session): Promise<State> {
  const [{ lanes }, workers, pauses] = await Promise.all([
    rowlock.insight.stats(),
    rowlock.insight.workers(),
    rowlock.jobs.pauses(),
  ]);
  return { at: new Date(), lanes, workers, pauses };
}

function show({ output, terminal }: Session, state: State, isWatching: boolean): void {
  if (output.isJson) {
    output.one(state);
    return;
  }
  if (isWatching && terminal.stdout.isTTY === true) output.raw(CLEAR);
  output.list(state.lanes, COLUMNS, 'No job waits, and none came within the last hour.');
  for (const line of below(state)) output.say(line);
}

/** What `--json` prints. */
interface State {
  readonly at: Date;
  readonly lanes: Stats['lanes'];
  readonly workers: readonly WorkerView[];
  readonly pauses: readonly PauseView[];
}

const COLUMNS: readonly Column<LaneStats>[] = [
  { title: 'QUEUE', of: ({ queue }) => queue, cut: true },
  { title: 'KIND', of: ({ kind }) => kind, cut: true },
  ...LANE_COLUMNS,
  { title: 'P95', of: ({ hour }) => lasting(hour.tookMs?.p95), align: 'right' },
];

function below({ lanes, workers, pauses }: State): readonly string[] {
  const alive = workers.filter((worker) => worker.alive).length;
  const unserved = lanes.filter(({ served, due }) => !served && due.count > 0);
  return [
    '',
    alive === 0
      ? 'No worker is alive.'
      : `${number(alive)} ${alive === 1 ? 'worker is' : 'workers are'} alive.`,
    ...pauses.map(pauseSentence),
    ...unserved.map(
      ({ queue, kind, due }) =>
        `Nobody serves the kind ${kind} in the queue ${queue}: ${counted(due)} due, and no live worker takes them.`,
    ),
  ];
}

/** Whether to go on. */
async function rest(ms: number, signal: AbortSignal): Promise<boolean> {
  await sleep(ms, undefined, { signal }).catch(() => {});
  return !signal.aborted;
}
