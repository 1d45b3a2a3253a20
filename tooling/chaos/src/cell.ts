import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault.js';
import { check, ofMode } from './history/check.js';
import { deaths } from './history/deaths.js';
import type { HistoryEvent } from './history/event.js';
import { excesses, leaks } from './history/excesses.js';
import { readHistory } from './history/history-file.js';
import { recoveries } from './history/recovery.js';
import { mostShared, runsOf } from './history/runs.js';
import type { Violation } from './history/violation.js';
import { hasLimits, type Mode } from './mode.js';
import { PRODUCER } from './producer.js';
import { Random } from './random.js';
import { type Settled, type Stage, type StageOptions, setStage } from './stage.js';
import { checkSubjects } from './subjects/check-subjects.js';
import type { SubjectFacts } from './subjects/subject-facts.js';
import type { DatabaseName, Server, System } from './system.js';

/** What one fault did to one mode on one database. */
export interface Result {
  readonly fault: string;
  readonly database: DatabaseName;
  readonly mode: Mode | 'subjects';
  readonly jobs: number;
  readonly runs: number;
  /** How many of them shared a transaction at most. */
  readonly shared: number;
  readonly violations: readonly Violation[];
  /** How long interrupted jobs waited for their next run, in milliseconds. */
  readonly recoveriesMs: readonly number[];
  /** Where the history is kept, when there is something to look for in it. */
  readonly history: string | null;
}

export interface CellOptions
  extends Pick<
    StageOptions,
    'seed' | 'modes' | 'broken' | 'resizes' | 'workMs' | 'rate' | 'workers' | 'drainMs' | 'frozen'
  > {
  readonly seconds: number;
  readonly stopping: AbortSignal;
}

/** Time before the first strike and after the last, in milliseconds: the load is on, and comes to its end. */
const CALM_MS = 700;

const HOUR_MS = 3_600_000;

/** One fault, on a fresh database of a server, with the load on; then everything is settled and checked. */
export async function runCell<Tx>(
  system: System<Tx>,
  server: Server,
  fault: Fault,
  { seconds, stopping, ...options }: CellOptions,
): Promise<Result[]> {
  const stage = await setStage(system, server, {
    ...options,
    proxied: fault.needs.includes('proxies'),
    disk: fault.needs.includes('disk'),
    clocksMs: fault.needs.includes('wrong clocks') ? [HOUR_MS, -HOUR_MS, 0] : [0],
  });
  let settled: Settled;
  try {
    await sleep(CALM_MS);
    const end = await fault.begin(stage, new Random(options.seed, fault.name));
    await sleep(seconds * 1_000, undefined, { signal: stopping }).catch(() => {});
    await end();
    await sleep(CALM_MS);
    settled = await stage.settle();
  } finally {
    await stage.clear();
  }
  return judge(stage, settled, fault.name);
}

/** Reads the history, and says for each mode what it proves. It is deleted when it is clean. */
export function judge<Tx>(
  stage: Pick<Stage<Tx>, 'system' | 'modes' | 'folder' | 'forget'>,
  { tables, subjects }: Settled,
  fault: string,
): Result[] {
  const { system, modes, folder } = stage;
  const everything = readHistory(folder);
  const beyond = excesses(everything, runsOf(everything));
  const results = modes.map((mode): Result => {
    const { events, runs, tables: own } = ofMode(mode, everything, tables);
    const violations = [
      ...check(events, own, runs),
      ...beyond.filter(({ run }) => run.mode === mode).map(({ violation }) => violation),
      ...(hasLimits(mode) ? leaks(everything) : []),
    ];
    return {
      ...{ fault, database: system.name, mode, jobs: own.jobs.length, runs: runs.length, violations },
      shared: mostShared(runs),
      recoveriesMs: recoveries(events, runs, own),
      history: violations.length > 0 ? folder : null,
    };
  });
  const whole = subjects === null ? results : [...results, judgeSubjects(stage, everything, subjects, fault)];
  if (whole.every(({ history }) => history === null)) stage.forget();
  return whole;
}

function judgeSubjects<Tx>(
  { system, folder }: Pick<Stage<Tx>, 'system' | 'folder'>,
  everything: readonly HistoryEvent[],
  facts: SubjectFacts,
  fault: string,
): Result {
  const ofProducer = everything.filter(
    (event) => event.what === 'stopping' || (event.what === 'dead' && event.worker === PRODUCER),
  );
  const violations = [...checkSubjects(everything, facts), ...deaths(ofProducer)];
  return {
    ...{ fault, database: system.name, mode: 'subjects', jobs: facts.jobs.length, violations },
    runs: everything.filter(({ what }) => what === 'entered').length,
    ...{ shared: 0, recoveriesMs: [] },
    history: violations.length > 0 ? folder : null,
  };
}
