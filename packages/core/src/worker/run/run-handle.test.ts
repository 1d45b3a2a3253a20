import { expect, test, vi } from 'vitest';
import { gate, settled } from '../../../test/resting-worker.js';
import { DriverError } from '../../driver/driver-error.js';
import { sharedEntrance, soleEntrance } from './entrance.js';
import { type Entrance, RunHandle } from './run-handle.js';

/** A transaction that can be lost, and a handle for each run in it: the handle is the function that sends a statement. */
function transaction() {
  const losing = new AbortController();
  const session = {
    lost: losing.signal,
    handle: () => 'the transaction',
    undo: vi.fn(async () => {}),
    renew: vi.fn(async () => {}),
  };
  const run = (entrance: Entrance) => {
    const handle = new RunHandle<unknown>({ claims: { deferred: ({ send }) => send } }, session, entrance);
    const query = async (statement = async (tx: unknown) => tx): Promise<unknown> => {
      const send = handle.handle;
      if (typeof send !== 'function') throw new Error('The handle is the function that sends a statement.');
      return send(statement);
    };
    return { handle, query };
  };
  const lose = () => losing.abort(new DriverError('ConnectionLost', 'The cable was pulled.'));
  return { session, run, lose };
}

/** Runs that share a transaction. */
function shared(durable = async () => {}) {
  const { session, run, lose } = transaction();
  const entrance = sharedEntrance(session, durable);
  return { session, lose, run: () => run(entrance) };
}

/** A run by itself, whose record is durable when the test says so. */
function sole() {
  const { session, run } = transaction();
  const durable = gate();
  return { session, durable, ...run(soleEntrance(() => durable.opened)) };
}

const codeOf = ({ code }: DriverError) => code;

test('the runs of a batch have their transaction one after the other', async () => {
  const { session, run } = shared();
  const [first, second] = [run(), run()];
  await first.query();
  const isThere = vi.fn();
  const waits = second.query().then(isThere);
  await settled();
  expect(isThere).not.toHaveBeenCalled();
  await first.handle.keep();
  await waits;
  expect(session.renew).toHaveBeenCalledOnce();
});

test('a run of a batch that has sent nothing keeps no other waiting, and needs no statement', async () => {
  const { session, run } = shared();
  expect(run().handle.keep()).toBeUndefined();
  await run().query();
  expect(session.renew).not.toHaveBeenCalled();
});

test('when it is lost, those who wait for it learn so, though the run that has it has not ended', async () => {
  const { run, lose } = shared();
  const [first, second, third] = [run(), run(), run()];
  await first.query();
  const waits = [second.query(), third.query()].map((query) => query.catch(codeOf));
  await settled();
  lose();
  expect(await Promise.all(waits)).toEqual(['ConnectionLost', 'ConnectionLost']);
  await expect(run().query()).rejects.toMatchObject({ code: 'ConnectionLost' });
});

test('runs that are undone while they wait for it ask nothing of it any more, and keep nobody waiting', async () => {
  const { session, run } = shared();
  const [first, ...others] = [run(), run(), run(), run()];
  await first.query();
  const waits = others.map((other) => other.query().catch(codeOf));
  await settled();
  await Promise.all(others.map(({ handle }) => handle.undo()));
  expect(session.undo).not.toHaveBeenCalled();
  await first.handle.undo();
  expect(session.undo).toHaveBeenCalledOnce();
  expect(await Promise.all(waits)).toEqual(waits.map(() => 'TransactionOver'));
  await run().query();
});

test('a run whose writes cannot stay has the transaction until they are undone', async () => {
  const { session, run } = shared();
  const [first, second] = [run(), run()];
  await first.query();
  const isThere = vi.fn();
  const waits = second.query().then(isThere);
  session.renew.mockRejectedValueOnce(new DriverError('Unknown', 'A statement failed.'));
  await expect(first.handle.keep()).rejects.toMatchObject({ code: 'Unknown' });
  await settled();
  expect(isThere).not.toHaveBeenCalled();
  await first.handle.undo();
  await waits;
});

test.each(['sole', 'shared'])('a statement of a %s run waits until the record is durable', async (kind) => {
  const durable = gate();
  const { session, run } = transaction();
  const wait = () => durable.opened;
  const { handle, query } = run(kind === 'sole' ? soleEntrance(wait) : sharedEntrance(session, wait));
  const isThere = vi.fn();
  const waits = query().then(isThere);
  await settled();
  expect(isThere).not.toHaveBeenCalled();
  expect(handle.used).toBe(false);
  durable.open();
  await waits;
  expect(isThere).toHaveBeenCalledWith('the transaction');
  expect(handle.used).toBe(true);
});

test('a statement is refused where the record cannot be made durable, and the run does not keep its writes', async () => {
  const { run } = transaction();
  const { handle, query } = run(
    soleEntrance(() => Promise.reject(new DriverError('ConnectionLost', 'The server has gone.'))),
  );
  expect(await query().catch(codeOf)).toBe('ConnectionLost');
  await expect(handle.keep()).rejects.toMatchObject({ code: 'ConnectionLost' });
  expect(handle.used).toBe(false);
});

test('a statement that the handler sent and did not wait for is one of its writes, and comes before they are kept', async () => {
  const { handle, query, durable } = sole();
  const happened: string[] = [];
  void query(async () => {
    // A driver needs some turns to send it.
    for (let turn = 0; turn < 10; turn++) await null;
    happened.push('sent');
  });
  const kept = handle.calls.rest().then(async () => {
    await handle.keep();
    happened.push('kept');
  });
  await settled();
  expect(happened).toEqual([]);
  durable.open();
  await kept;
  expect(happened).toEqual(['sent', 'kept']);
  expect(handle.used).toBe(true);
});

test('a statement that waits for the record when its run is undone is refused', async () => {
  const { session, handle, query, durable } = sole();
  const sent = query().catch(codeOf);
  await handle.undo();
  durable.open();
  expect(await sent).toBe('TransactionOver');
  expect(session.undo).not.toHaveBeenCalled();
});

test.each(['keep', 'undo'] as const)('after %s a statement is refused', async (end) => {
  const { handle, query, durable } = sole();
  durable.open();
  await query();
  await handle[end]();
  expect(await query().catch(codeOf)).toBe('TransactionOver');
});

test('what a run has written is undone at its end where it was discarded', async () => {
  const { handle, query, durable, session } = sole();
  durable.open();
  await query();
  handle.discard();
  await handle.keep();
  expect(session.undo).toHaveBeenCalledOnce();
  expect(await query().catch(codeOf)).toBe('TransactionOver');
});

test('a run that was discarded and has written nothing needs no statement', () => {
  const { handle, session } = sole();
  handle.discard();
  expect(handle.keep()).toBeUndefined();
  expect(session.undo).not.toHaveBeenCalled();
});
