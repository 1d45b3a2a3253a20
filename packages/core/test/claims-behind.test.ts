import { expect, test } from 'vitest';
import type { ClaimCriteria, ClaimSession, Finished, Job } from '../src/driver.js';
import { DriverError } from '../src/index.js';
import { job, NOTHING } from './empty-database.js';
import { oneSlot } from './one-slot.js';
import { gate, settled } from './resting-worker.js';

/** The answer to a settlement, and the claim behind it: the first jobs, unless there is to be none. */
type Finish = (finished: Finished, place: number) => Finished | Promise<Finished>;

/** A database that claims behind a settlement, and the statements that it was sent. */
function claimsBehind(jobs: Job[], finish: Finish = (finished) => finished) {
  const sent: string[] = [];
  const behind: ClaimCriteria[] = [];
  let place = 0;
  const session: Partial<ClaimSession<unknown>> = {
    async claim({ limit }) {
      sent.push(`claim ${limit}`);
      return jobs.splice(0, limit);
    },
    lockSiblings: async ({ keys }) => keys.map((key, each) => job(BigInt(each + 1), key)),
    async finish(settlements, next) {
      sent.push(next === undefined ? 'finish' : `finish, claim ${next.limit}`);
      if (next !== undefined) behind.push(next);
      const claimed = next === undefined ? null : Promise.resolve(jobs.splice(0, next.limit));
      return finish({ settled: settlements.map(({ id }) => id), next: claimed }, place++);
    },
    async rollback() {
      sent.push('rollback');
    },
  };
  return { sent, behind, session };
}

const numbered = (count: number) => Array.from({ length: count }, (_, place) => job(BigInt(place + 1)));

test('what a claim behind a settlement finds is run without another claim', async () => {
  const jobs = numbered(3);
  const { sent, behind, session } = claimsBehind(jobs);
  const { worker, emitted } = await oneSlot({ jobs, answers: { session } });
  expect(emitted).toEqual([1, 2, 3].flatMap((id) => [`run job ${id}`, `settled job ${id}`]));
  const found = ['claim 1', 'finish, claim 1', 'finish, claim 1', 'finish, claim 1', 'rollback'];
  expect(sent.slice(0, 5)).toEqual(found);
  expect(behind.map(({ line }) => line.id)).toEqual([1n, 2n, 3n]);
  await worker.stop();
});

test('a database may leave the claim behind a settlement to a later one', async () => {
  const jobs = numbered(2);
  const { sent, session } = claimsBehind([], (finished) => ({ ...finished, next: null }));
  const claim: ClaimSession<unknown>['claim'] = async () => {
    sent.push('claim');
    return jobs.splice(0, 1);
  };
  const { worker, emitted } = await oneSlot({ jobs, answers: { session: { ...session, claim } } });
  expect(emitted).toEqual([1, 2].flatMap((id) => [`run job ${id}`, `settled job ${id}`]));
  expect(sent.slice(0, 5)).toEqual(['claim', 'finish, claim 1', 'claim', 'finish, claim 1', 'claim']);
  await worker.stop();
});

test('the key of the run that is settled is not busy for the claim behind it', async () => {
  const jobs = [job(1n, 'a')];
  const { behind, session } = claimsBehind(jobs);
  const { worker, emitted } = await oneSlot({ jobs, answers: { session } });
  expect(emitted).toEqual(['run job 1', 'settled job 1']);
  expect(behind).toEqual([expect.objectContaining({ busy: [] })]);
  await worker.stop();
});

test('what a claim behind a settlement finds is given back when the worker stops meanwhile', async () => {
  const answer = gate();
  const jobs = numbered(2);
  const { sent, session } = claimsBehind(jobs, ({ settled: done, next }) => ({
    settled: done,
    next: next && answer.opened.then(() => next),
  }));
  const { worker, emitted } = await oneSlot({ jobs, answers: { session } });
  expect(emitted).toEqual(['run job 1', 'settled job 1']);
  const stopped = worker.stop();
  await settled();
  answer.open();
  await stopped;
  expect(jobs).toEqual([]);
  expect(emitted).toEqual(['run job 1', 'settled job 1']);
  expect(sent).toEqual(['claim 1', 'finish, claim 1', 'rollback']);
});

test('a worker that stops makes no claim behind its last settlement', async () => {
  const end = gate();
  const jobs = numbered(2);
  const { sent, session } = claimsBehind(jobs);
  const { worker, emitted } = await oneSlot({ jobs, answers: { session }, run: () => end.opened });
  const stopped = worker.stop();
  await settled();
  end.open();
  await stopped;
  expect(emitted).toEqual(['run job 1', 'settled job 1']);
  expect(sent).toEqual(['claim 1', 'finish', 'rollback']);
});

test.each(['Unknown', 'ConnectionLost'] as const)(
  'a claim behind a settlement that fails, by %s, is a fault, and what was settled is settled',
  async (code) => {
    const jobs = numbered(1);
    const error = new DriverError(code, 'Not now.');
    const { sent, session } = claimsBehind(jobs, (finished) => ({
      ...finished,
      next: Promise.reject(error),
    }));
    const { worker, emitted } = await oneSlot({ jobs, answers: { session } });
    expect(emitted).toEqual(['run job 1', 'settled job 1', `fault ${error}`]);
    expect(sent).toEqual(['claim 1', 'finish, claim 1', 'rollback']);
    await worker.stop();
  },
);

test.each<[string, Finish]>([
  [
    'fails',
    () => {
      throw new DriverError('ConnectionLost', 'The cable was pulled.');
    },
  ],
  ['finds its claim lost', () => ({ settled: [], next: Promise.resolve([job(2n)]) })],
])('a settlement that %s drops the claim behind it', async (_, fail) => {
  const jobs = numbered(1);
  const { sent, session } = claimsBehind(jobs, (finished, place) =>
    place === 0 ? fail(finished, place) : finished,
  );
  const { worker, emitted } = await oneSlot({ jobs, answers: { session } });
  expect(emitted).toEqual(['run job 1', 'lost job 1']);
  expect(sent.slice(0, 4)).toEqual(['claim 1', 'finish, claim 1', 'rollback', 'claim 1']);
  await worker.stop();
});

test('where the next claim may take several jobs, there is none behind a settlement', async () => {
  const jobs = numbered(3);
  const { sent, session } = claimsBehind(jobs);
  const { worker, emitted } = await oneSlot({ jobs, answers: { session }, batch: 10 });
  expect(emitted.filter((each) => each.startsWith('settled'))).toHaveLength(3);
  expect(sent.slice(0, 4)).toEqual(['claim 1', 'finish', 'claim 2', 'finish']);
  await worker.stop();
});

test('where what a claim behind a settlement finds is blocked, it is let go, and the next claim is made', async () => {
  const jobs = [job(1n), job(2n, 'busy'), job(3n)];
  const { sent, session } = claimsBehind(jobs);
  const lockSiblings = () => Promise.reject(new DriverError('LockNotAvailable', 'Another worker has it.'));
  const { worker, emitted } = await oneSlot({
    jobs,
    answers: { session: { ...session, lockSiblings } },
  });
  expect(emitted).toEqual([1, 3].flatMap((id) => [`run job ${id}`, `settled job ${id}`]));
  expect(sent.slice(0, 5)).toEqual(['claim 1', 'finish, claim 1', 'rollback', 'claim 1', 'finish, claim 1']);
  await worker.stop();
});

test('a sweep that has taken its time makes no claim behind its last settlement, and begins anew', async () => {
  const jobs = numbered(2);
  const { sent, session } = claimsBehind(jobs);
  const ends = [gate(), gate()];
  let runs = 0;
  const { clock, worker, emitted } = await oneSlot({
    jobs,
    answers: { session, survey: () => ({ ...NOTHING, waiting: jobs.length > 0 }) },
    run: async () => ends[runs++]?.opened,
  });
  clock.advance(500);
  for (const end of ends) {
    end.open();
    await settled();
  }
  expect(emitted).toEqual([1, 2].flatMap((id) => [`run job ${id}`, `settled job ${id}`]));
  expect(sent.slice(0, 5)).toEqual(['claim 1', 'finish', 'rollback', 'claim 1', 'finish, claim 1']);
  await worker.stop();
});
