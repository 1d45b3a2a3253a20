import type { Driver } from '@rowlock/core';
import {
  type Anchor,
  type ClaimCriteria,
  type ClaimSession,
  type Finished,
  type Job,
  type JoinableWorkers,
  type WakeUp,
  wakeUpFor,
} from '@rowlock/core/driver';
import { instead } from '../instead.js';
import type { Actor } from './actor.js';
import type { Step } from './step.js';

/** What a driver that takes turns reports. */
export interface Observer<Tx> {
  /** In its turn, before it locks siblings or asks for dependencies. */
  looks(at: 'siblings' | 'dependencies'): Promise<void>;
  /** In its turn still, after a lock of siblings that was refused. */
  refused(tx: Tx): Promise<void>;
  settling(): void;
  /** Whether jobs of the play may be put off. */
  readonly putsOff: boolean;
  /** Whether jobs of the play may wait for others by their `after`. */
  readonly follows: boolean;
  wakes(wakeUps: readonly WakeUp[]): void;
  /** A wake-up that waits for the caller's commit. */
  willWake(wakeUps: readonly WakeUp[]): void;
  /** What came of the step that has just been done. */
  came(outcome: string): void;
}

/** The driver, each of whose verbs waits for the actor's turn. Wake-ups go to the observer. */
export function takeTurns<Tx>(
  driver: Driver<Tx>,
  actor: Actor,
  anchor: Anchor,
  observer: Observer<Tx>,
): Driver<Tx> {
  const turn = async <Result>(step: Step, work: () => Promise<Result>): Promise<Result> => {
    try {
      const result = await actor.step(step, work);
      observer.came(describe(result));
      return result;
    } catch (error) {
      observer.came(error instanceof Error && 'code' in error ? String(error.code) : String(error));
      throw error;
    }
  };
  const notify: JoinableWorkers['notify'] = (wakeUps) => turn('notify', async () => observer.wakes(wakeUps));
  return instead(driver, {
    schema: { verify: async () => ({ limits: [] }) },
    workers: { anchor: async () => anchor, notify },
    claims: {
      session: (options) => claimsInTurns(driver.claims.session(options), turn, observer),
      survey: (lanes, except) =>
        turn(observer.putsOff ? 'survey later' : 'survey', () => driver.claims.survey(lanes, except)),
      reclaim: (scope) => turn('reclaim', () => driver.claims.reclaim(scope)),
      startRuns: (runs, crashed) => {
        const receipt = turn('startRuns', async () => {
          const { visible, durable } = driver.claims.startRuns(runs, crashed);
          return { started: await visible, durable };
        });
        // A flush changes nothing that others see: it belongs to the step in which it is requested.
        return {
          visible: receipt.then(({ started }) => started),
          durable: async () => (await receipt).durable(),
        };
      },
      noteRun: (run, progress) => turn('noteRun', () => driver.claims.noteRun(run, progress)),
    },
    followers: {
      admit: (look, except) =>
        observer.follows
          ? turn('admit', () => driver.followers.admit(look, except))
          : Promise.resolve({ queues: [], last: null, skipped: false, refused: [] }),
    },
    admission: {
      parts: (queues) => turn('limitedParts', () => driver.admission.parts(queues)),
      set: (name, max, by) =>
        turn('setLimit', async () => {
          await driver.admission.set(name, max, by);
          observer.wakes([{ limit: name }]);
        }),
      pause: (pause, mode) =>
        turn('pause', async () => {
          await driver.admission.pause(pause, mode);
          observer.wakes([wakeUpFor(pause)]);
        }),
      resume: (target) =>
        turn('resume', async () => {
          await driver.admission.resume(target);
          observer.wakes([wakeUpFor(target)]);
        }),
    },
    jobs: {
      enqueue: (jobs, wakeUps = []) =>
        turn(wakeUps.length === 0 ? 'enqueue' : 'enqueue and wake', async () => {
          const enqueued = await driver.jobs.enqueue(jobs);
          if (enqueued.some(({ outcome }) => outcome === 'enqueued')) observer.wakes(wakeUps);
          return enqueued;
        }),
      move: (event, publicIds, options) => turn('move', () => driver.jobs.move(event, publicIds, options)),
      update: (publicId, update, waitMs) =>
        turn('update', () => driver.jobs.update(publicId, update, waitMs)),
    },
    join(tx) {
      const joined = driver.join(tx);
      return instead(joined, {
        jobs: {
          enqueue: (jobs, wakeUps = []) =>
            turn('enqueue in tx', async () => {
              const enqueued = await joined.jobs.enqueue(jobs);
              if (enqueued.some(({ outcome }) => outcome === 'enqueued')) observer.willWake(wakeUps);
              return enqueued;
            }),
        },
        workers: { notify: async (wakeUps) => observer.willWake(wakeUps) },
      });
    },
  });
}

type Turn = <Result>(step: Step, work: () => Promise<Result>) => Promise<Result>;

function claimsInTurns<Tx>(session: ClaimSession<Tx>, turn: Turn, observer: Observer<Tx>): ClaimSession<Tx> {
  /** Whether its transaction has locked something. */
  let holds = false;
  /** Whether it has no transaction open. */
  let over = true;
  const end = (): void => {
    over = true;
    holds = false;
  };
  const claim = (step: 'claim' | 'claim next', criteria: ClaimCriteria): Promise<readonly Job[]> =>
    turn(step, () => {
      over = false;
      return session.claim(criteria).then(locked);
    });
  const locked = (jobs: readonly Job[]): readonly Job[] => {
    holds ||= jobs.length > 0;
    return jobs;
  };
  return instead(session, {
    claim: (criteria) => claim('claim', criteria),
    firstOutstanding: (question) =>
      turn('firstOutstanding', async () => {
        await observer.looks('dependencies');
        return session.firstOutstanding(question);
      }),
    undo: () => turn('undo', () => session.undo()),
    enterLimits: (limits) =>
      turn('enterLimits', async () => {
        over = false;
        await session.enterLimits(limits);
        holds = true;
      }),
    leaveLimits: (runId) => turn('leaveLimits', () => session.leaveLimits(runId)),
    lease: (runId, jobs, forMs) => turn('lease', () => session.lease(runId, jobs, forMs).finally(end)),
    lockLeased: (runId, jobs, isCommitted) =>
      turn('lockLeased', async () => {
        over = false;
        const states = await session.lockLeased(runId, jobs, isCommitted);
        holds ||= states.size > 0;
        return states;
      }),
    lockSiblings: (entities, limit) =>
      turn('lockSiblings', async () => {
        await observer.looks('siblings');
        try {
          return await session.lockSiblings(entities, limit);
        } catch (error) {
          await observer.refused(session.handle);
          throw error;
        }
      }),
    settle: (settlements) =>
      turn('settle', () => {
        observer.settling();
        return session.settle(settlements);
      }),
    // Between the commit and the claim behind it everybody else may come.
    finish: async (settlements, next): Promise<Finished> => {
      const settled = await turn('finish', async () => {
        observer.settling();
        const finished = await session.finish(settlements);
        if (finished.settled.length === settlements.length) end();
        return finished.settled;
      });
      if (next === undefined || settled.length < settlements.length) return { settled, next: null };
      return { settled, next: claim('claim next', next) };
    },
    confirm: () => turn('confirm', () => session.confirm()),
    renew: () => turn('renew', () => session.renew()),
    release: (run) => turn('release', () => session.release(run).then(end)),
    commit: () => turn('commit', () => session.commit().then(end)),
    // After a commit nothing is left to be rolled back.
    rollback: () =>
      over ? session.rollback() : turn(holds ? 'rollback' : 'close', () => session.rollback().then(end)),
  });
}

/** A step's result, for people. */
function describe(result: unknown): string {
  if (result instanceof Map) return [...result.values()].join(' and ');
  if (Array.isArray(result)) return result.map(describe).join(' and ');
  if (typeof result !== 'object' || result === null) return '';
  if ('outcome' in result) return String(result.outcome);
  if ('started' in result) return Object(result.started).unfinished.length > 0 ? 'unfinished runs' : '';
  if ('reclaimed' in result) return `${result.reclaimed} put back`;
  if ('payload' in result) return String(result.payload);
  return '';
}
