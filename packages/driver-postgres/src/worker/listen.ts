import { answerWithin, type ListenOptions } from '@rowlock/core/driver';
import { cut } from '../connection/connection.js';
import type { OutsidePool } from '../connection/outside-pool.js';
import { toDriverError } from '../errors.js';
import { identifier } from '../identifier.js';
import { query } from '../query.js';
import { parseText } from './wake-up.js';

/** Receives notifications on a connection of its own, until the signal aborts or the connection ends. @throws DriverError */
export async function listen(
  outside: OutsidePool,
  { channel, answerMs }: { readonly channel: string; readonly answerMs: number },
  { received, subscribed, signal }: ListenOptions,
): Promise<void> {
  const client = outside.client();
  const ended = new Promise<void>((resolve) => {
    client.once('end', resolve);
    client.on('error', () => resolve());
  });
  client.on('notification', ({ payload }) => received(parseText(payload)));
  const end = (): void => void answerWithin(answerMs, client.end(), () => cut(client)).catch(() => {});
  try {
    await outside.open(client);
    signal.addEventListener('abort', end);
    await answerWithin(answerMs, query(client, `LISTEN ${identifier(channel)}`), () => cut(client));
    if (signal.aborted) return;
    subscribed();
    await ended;
  } catch (error) {
    throw toDriverError(error, 'ConnectionLost');
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}
