import { answerWithin } from '@rowlock/core/driver';
import { type Connection, type ConnectionOptions, createConnection } from 'mysql2/promise';
import { toUnsent } from '../errors.js';
import { cut, type OnConnect, prepareSession } from './session.js';

/** Opens a connection outside the pool. */
export type Connect = () => Promise<Connection>;

/** Works on a connection that is opened for it, and closed behind it. @throws DriverError */
export async function onNew<Result>(
  connect: Connect,
  work: (client: Connection) => Promise<Result>,
): Promise<Result> {
  const client = await connect();
  try {
    const result = await work(client);
    // The server counts a session as aborted whose client does not say that it leaves, and mysql2 warns of its answer on the console.
    client.end().catch(() => client.destroy());
    return result;
  } catch (error) {
    client.destroy();
    throw error;
  }
}

/** Opens a connection outside the pool, and sets it up. @throws DriverError */
export async function connect(
  options: ConnectionOptions,
  answerMs: number,
  onConnect: OnConnect | undefined,
): Promise<Connection> {
  try {
    const client = await createConnection(options);
    // The pending statement fails with the same error.
    client.on('error', () => {});
    await answerWithin(answerMs, prepareSession(client, onConnect), () => cut(client)).catch(
      (error: unknown) => {
        client.destroy();
        throw error;
      },
    );
    return client;
  } catch (error) {
    throw toUnsent(error);
  }
}
