import { expect, test } from 'vitest';
import type { ClaimSession, Job } from '../src/driver.js';
import { ClaimLostError, DriverError } from '../src/index.js';
import { job } from './empty-database.js';
import { oneSlot } from './one-slot.js';
import { NO_EARLIER_RUNS, receipt } from './receipt.js';
import { gate, settled } from './resting-worker.js';

const gone = new DriverError('ConnectionLost', 'The server has gone.');

/** A session that leases and settles these jobs, and what it was sent. */
function recordingSession(jobs: readonly Job[]) {
  const sent: string[] = [];
  const send = (name: string) => async (): Promise<void> => void sent.push(name);
  const session: Partial<ClaimSession<unknown>> = {
    async finish(settlements) {
      sent.push(`finish ${settlements.map(({ event }) => event)}`);
      return { settled: settlements.map(({ id }) => id), next: null };
    },
    lockLeased: async () => new Map(jobs.map(({ id }) => [id, 'in-progress' as const])),
    async settle(settlements) {
      sent.push(`settle ${settlements.map(({ event }) => event)}`);
      return settlements.map(({ id }) => id);
    },
    lease: send('lease'),
    commit: send('commit'),
    release: send('release'),
    rollback: send('rollback'),
  };
  return { sent, session };
}

/** A handler that goes on until its signal is aborted, and the reason of that. */
function untilAborted() {
  const reasons: unknown[] = [];
  const run = ({ signal }: { readonly signal: AbortSignal }) =>
    new Promise<void>((_, reject) => {
      signal.addEventListener('abort', () => {
        reasons.push(signal.reason);
        reject(signal.reason);
      });
    });
  return { run, reasons };
}

test.each(['hold', 'lease'] as const)('with %s no run begins before its record is visible', async (claim) => {
  const visible = gate();
  const jobs = [job(1n)];
  const { session } = recordingSession(jobs);
  const startRuns = () => receipt(visible.opened.then(() => NO_EARLIER_RUNS));
  let runs = 0;
  const { worker, emitted } = await oneSlot({
    jobs: [...jobs],
    claim,
    answers: { session, startRuns },
    run: () => void runs++,
  });
  expect({ runs, emitted }).toEqual({ runs: 0, emitted: [] });
  visible.open();
  await settled();
  expect({ runs, emitted }).toEqual({ runs: 1, emitted: ['run job 1', 'settled job 1'] });
  await worker.stop();
});

test('a run begins, and is settled, before its record is durable', async () => {
  const jobs = [job(1n)];
  const startRuns = () => receipt(NO_EARLIER_RUNS, () => new Promise(() => {}));
  const { worker, emitted } = await oneSlot({ jobs, answers: { startRuns } });
  expect(emitted).toEqual(['run job 1', 'settled job 1']);
  await worker.stop();
});

test('where a record cannot be written, no run begins, and the claim is given back', async () => {
  const jobs = [job(1n)];
  const { sent, session } = recordingSession(jobs);
  const startRuns = () => receipt(Promise.reject(gone));
  const { worker, emitted } = await oneSlot({ jobs, answers: { session, startRuns } });
  expect(emitted).toEqual(['lost job 1']);
  expect(sent.slice(0, 2)).toEqual(['release', 'rollback']);
  await worker.stop();
});

test.each(['heeds its signal', 'completes all the same'])(
  'a held run whose record cannot be made durable settles nothing, and its job is free again, also if it %s',
  async (how) => {
    const jobs = [job(1n)];
    const { sent, session } = recordingSession(jobs);
    const startRuns = () => receipt(NO_EARLIER_RUNS, () => Promise.reject(gone));
    const { run, reasons } = untilAborted();
    const { clock, worker, emitted } = await oneSlot({
      jobs,
      answers: { session, startRuns },
      run: (context) => (how === 'heeds its signal' ? run(context) : run(context).catch(() => {})),
    });
    expect(emitted).toEqual(['run job 1']);
    clock.advance(20);
    await settled();
    expect(reasons).toEqual([expect.any(ClaimLostError)]);
    expect(reasons).toEqual([expect.objectContaining({ cause: gone })]);
    expect(emitted).toEqual(['run job 1', 'lost job 1']);
    // Given back in the claim's own transaction: the record would be taken for a crash.
    expect(sent).toContain('release');
    expect(sent.join()).not.toContain('finish');
    await worker.stop();
  },
);

test('all runs of a batch whose record cannot be made durable are lost', async () => {
  const jobs = [1n, 2n, 3n].map((id) => job(id));
  const { sent, session } = recordingSession(jobs);
  const claim: ClaimSession<unknown>['claim'] = async ({ limit }) => jobs.splice(0, limit);
  const startRuns = () => receipt(NO_EARLIER_RUNS, () => Promise.reject(gone));
  const { run, reasons } = untilAborted();
  const { clock, worker, emitted } = await oneSlot({
    jobs,
    batch: 10,
    answers: { session: { ...session, claim }, startRuns },
    run: (context) => (context.job.publicId === 'job 1' ? undefined : run(context)),
  });
  clock.advance(20);
  await settled();
  expect(reasons).toHaveLength(2);
  expect(emitted.slice(2)).toEqual(['run job 2', 'run job 3', 'lost job 2', 'lost job 3']);
  expect(sent.filter((each) => each.startsWith('finish'))).toEqual(['finish complete']);
  await worker.stop();
});

test('a held run that loses its claim settles nothing, and its job is free again', async () => {
  const jobs = [job(1n)];
  const losing = new AbortController();
  const { sent, session } = recordingSession(jobs);
  const { run, reasons } = untilAborted();
  const { worker, emitted } = await oneSlot({
    jobs,
    answers: { session: { ...session, lost: losing.signal } },
    run,
  });
  losing.abort(gone);
  await settled();
  expect(reasons).toEqual([expect.objectContaining({ cause: gone })]);
  expect(emitted).toEqual(['run job 1', 'lost job 1']);
  expect(sent).toContain('rollback');
  expect(sent.join()).not.toMatch(/finish|release/);
  await worker.stop();
});

test('a handler is not called where the claim is lost while its record is written', async () => {
  const jobs = [job(1n)];
  const losing = new AbortController();
  const { sent, session } = recordingSession(jobs);
  let runs = 0;
  const startRuns = () => {
    losing.abort(gone);
    return receipt(NO_EARLIER_RUNS);
  };
  const { worker, emitted } = await oneSlot({
    jobs,
    answers: { session: { ...session, lost: losing.signal }, startRuns },
    run: () => void runs++,
  });
  expect({ runs, emitted }).toEqual({ runs: 0, emitted: ['run job 1', 'lost job 1'] });
  expect(sent.join()).not.toMatch(/finish|release/);
  await worker.stop();
});

test('a lease whose record cannot be made durable is given back', async () => {
  const jobs = [job(1n)];
  const { sent, session } = recordingSession(jobs);
  const startRuns = () => receipt(NO_EARLIER_RUNS, () => Promise.reject(gone));
  const { run, reasons } = untilAborted();
  const { clock, worker, emitted } = await oneSlot({
    jobs: [...jobs],
    claim: 'lease',
    answers: { session, startRuns },
    run,
  });
  clock.advance(20);
  await settled();
  expect(reasons).toEqual([expect.any(ClaimLostError)]);
  expect(emitted).toEqual(['run job 1', 'released job 1']);
  expect(sent.slice(0, 3)).toEqual(['lease', 'settle release', 'commit']);
  await worker.stop();
});
