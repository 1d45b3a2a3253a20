// Runs under Bun: begins transactions, and does in them what the test's process says.
import { fromBun } from '../src/bun.js';
import type { Answer, Call } from './bun-calls.js';

const { SQL } = Object(globalThis).Bun;
const sql = new SQL(process.argv[2], { max: 3 });

interface Open {
  readonly tx: { unsafe(text: string): Promise<unknown> };
  end(undone: boolean): void;
  readonly ended: Promise<unknown>;
}

const open = new Map<number, Open>();

/** Resolves once the transaction has begun. */
function begin(id: number): Promise<void> {
  return new Promise((begun, failed) => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const ended: Promise<unknown> = sql.begin(async (tx: Open['tx']) => {
      open.set(id, { tx, end: resolve, ended });
      begun();
      if (await promise) throw new Error('undone');
    });
    ended.catch(failed);
  });
}

async function answer(call: Call): Promise<unknown> {
  if (call.does === 'begin') return begin(call.id);
  if (call.does === 'mistake') return fromBun(call.of === 'sql' ? sql : Object(undefined));
  const own = open.get(call.id);
  if (own === undefined) throw new Error('There is no such transaction.');
  if (call.does === 'insert') return own.tx.unsafe(`INSERT INTO orders VALUES (${Number(call.order)})`);
  if (call.does === 'query') return fromBun(Object(own.tx)).query(call.text, call.values, call.database);
  own.end(call.undone);
  return own.ended.catch(() => {});
}

process.on('message', (call: Call) => {
  const send = (rest: Partial<Answer>) => process.send?.({ number: call.number, ...rest });
  answer(call).then(
    (result) => send({ result: Object(result).adapter === undefined ? result : null }),
    (error) => {
      const { name, code, errno, message, cause } = Object(error);
      send({ error: { name, code, errno, message: String(message), cause: String(Object(cause).message) } });
    },
  );
});
