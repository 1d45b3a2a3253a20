import type { Socket } from 'node:net';
import { type SeverableServer, severableServer } from './severable-server.js';
import { SeverableSockets } from './severable-sockets.js';

/** How a driver of the tests reaches its server, which can be severed as if the driver's process had been killed. */
export interface Way {
  readonly host: string;
  readonly port: number;
  /** Makes the driver's sockets, where they have to be these. Not connected yet. */
  readonly stream?: () => Socket;
  /** @throws Error when the driver was opened without */
  cable(): SeverableServer;
  /** Ends every connection at once and lets no new one in. */
  sever(): Promise<void>;
}

/** @param hasCable Whether what passes may be lost without a word, as `forget` and `swallow` do. */
export async function wayTo(
  server: { readonly host: string; readonly port: number },
  hasCable: boolean,
): Promise<Way> {
  if (hasCable) {
    const cable = await severableServer(server);
    return { host: cable.host, port: cable.port, cable: () => cable, sever: () => cable.sever() };
  }
  const sockets = new SeverableSockets();
  return {
    ...server,
    stream: () => sockets.open(),
    cable() {
      throw new Error('This process has no cable that can be taken away: open it with `cable: true`.');
    },
    sever: () => sockets.sever(),
  };
}
