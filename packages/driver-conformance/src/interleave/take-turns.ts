import type { Driver } from '@rowlock/core';
import type { Anchor, HeldTransaction, Job, Store, WakeUp } from '@rowlock/core/driver';
import { instead } from '../instead.js';
import type { Actor } from './actor.js';
import type { Step } from './step.js';

/** What a driver that takes turns tells of. */
export interface Told<Tx> {
  /** In its turn, before it locks siblings or asks for dependencies. */
  looks(at: 'siblings' | 'dependencies'): Promise<void>;
  /** In its turn still, after a lock of siblings that was refused. */
  refused(tx: Tx): Promise<void>;
  settling(): void;
  /** Whether jobs of the play may be put off. */
  readonly putsOff: boolean;
  wakes(wakeUps: readonly WakeUp[]): void;
  /** A wake-up that waits for the caller's commit. */
  willWake(wakeUps: readonly WakeUp[]): void;
  /** What came of the step that has just been done. */
  came(outcome: string): void;
}

/** The driver, each of whose verbs waits for the actor's turn. Wake-ups go to those who are told of them. */
export function takeTurns<Tx>(driver: Driver<Tx>, actor: Actor, anchor: Anchor, told: Told<Tx>): Driver<Tx> {
  const turn = async <Result>(step: Step, work: () => Promise<Result>): Promise<Result> => {
    try {
      const result = await actor.step(step, work);
      told.came(describe(result));
      return result;
    } catch (error) {
      told.came(error instanceof Error && 'code' in error ? String(error.code) : String(error));
      throw error;
    }
  };
  const notify: Store['notify'] = (wakeUps) => turn('notify', async () => told.wakes(wakeUps));
  return instead(driver, {
    // An actor does one thing at a time.
    capabilities: { ...driver.capabilities, chains: false },
    verify: async () => ({ serverConnections: null }),
    anchor: async () => anchor,
    begin: async (options) => heldInTurns(await turn('begin', () => driver.begin(options)), turn, told),
    survey: (lanes) => turn(told.putsOff ? 'survey later' : 'survey', () => driver.survey(lanes)),
    reclaim: (graves) => turn('reclaim', () => driver.reclaim(graves)),
    startRuns: (runs) => turn('startRuns', () => driver.startRuns(runs)),
    noteRun: (run, note) => turn('noteRun', () => driver.noteRun(run, note)),
    enqueue: (jobs, wakeUps = []) =>
      turn(wakeUps.length === 0 ? 'enqueue' : 'enqueue and wake', async () => {
        const enqueued = await driver.enqueue(jobs);
        if (enqueued.some(({ outcome }) => outcome === 'enqueued')) told.wakes(wakeUps);
        return enqueued;
      }),
    move: (event, publicId, availableAt) => turn('move', () => driver.move(event, publicId, availableAt)),
    notify,
    join(tx) {
      const joined = driver.join(tx);
      return instead(joined, {
        enqueue: (jobs, wakeUps = []) =>
          turn('enqueue in tx', async () => {
            const enqueued = await joined.enqueue(jobs);
            if (enqueued.some(({ outcome }) => outcome === 'enqueued')) told.willWake(wakeUps);
            return enqueued;
          }),
        notify: async (wakeUps) => told.willWake(wakeUps),
      });
    },
  });
}

type Turn = <Result>(step: Step, work: () => Promise<Result>) => Promise<Result>;

function heldInTurns<Tx>(held: HeldTransaction<Tx>, turn: Turn, told: Told<Tx>): HeldTransaction<Tx> {
  let holds = false;
  let over = false;
  const end = (): void => {
    over = true;
  };
  const locked = (jobs: readonly Job[]): readonly Job[] => {
    holds ||= jobs.length > 0;
    return jobs;
  };
  return instead(held, {
    claim: (criteria) => turn('claim', () => held.claim(criteria).then(locked)),
    firstOutstanding: (question) =>
      turn('firstOutstanding', async () => {
        await told.looks('dependencies');
        return held.firstOutstanding(question);
      }),
    undo: () => turn('undo', () => held.undo()),
    lease: (runId, jobs, forMs) => turn('lease', () => held.lease(runId, jobs, forMs).finally(end)),
    lockLeased: (runId, jobs, isCommitted) =>
      turn('lockLeased', async () => {
        const states = await held.lockLeased(runId, jobs, isCommitted);
        holds ||= states.size > 0;
        return states;
      }),
    lockSiblings: (entities, limit) =>
      turn('lockSiblings', async () => {
        await told.looks('siblings');
        try {
          return await held.lockSiblings(entities, limit);
        } catch (error) {
          await told.refused(held.handle);
          throw error;
        }
      }),
    settle: (settlements) =>
      turn('settle', () => {
        told.settling();
        return held.settle(settlements);
      }),
    finish: (settlements) =>
      turn('finish', async () => {
        told.settling();
        const settled = await held.finish(settlements);
        if (settled.length === settlements.length) end();
        return settled;
      }),
    renew: () => turn('renew', () => held.renew()),
    release: (run) => turn('release', () => held.release(run).then(end)),
    commit: () => turn('commit', () => held.commit().then(end)),
    // After a commit nothing is left to be rolled back.
    rollback: () =>
      over ? held.rollback() : turn(holds ? 'rollback' : 'close', () => held.rollback().then(end)),
  });
}

/** A step's result, for people. */
function describe(result: unknown): string {
  if (result instanceof Map) return [...result.values()].join(' and ');
  if (Array.isArray(result)) return result.map(describe).join(' and ');
  if (typeof result !== 'object' || result === null) return '';
  if ('outcome' in result) return String(result.outcome);
  if ('reclaimed' in result) return `${result.reclaimed} put back`;
  if ('payload' in result) return String(result.payload);
  return '';
}
