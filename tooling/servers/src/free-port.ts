import { setTimeout as sleep } from 'node:timers/promises';
import getPort, { clearLockedPorts } from 'get-port';

/**
 * A TCP port that nobody has on any address of this machine: who listens on ::1 alone is who answers at `localhost`. It is the
 * wanted one if that is free, else one that the system picks. Picks at the same time differ.
 */
export function freePort(wanted = 0): Promise<number> {
  if (wanted === 0) return getPort();
  // A server that was stopped may want its port again at once.
  clearLockedPorts();
  return getPort({ port: wanted });
}

/**
 * Starts a server on the wanted port if it is free, else on another.
 * @param takenText what the start's error says when the port was taken between finding and listening
 */
export async function onFreePort<Server>(
  wanted: number | undefined,
  takenText: string,
  start: (port: number) => Promise<Server>,
): Promise<{ port: number; server: Server }> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(attempt === 1 ? wanted : 0);
    try {
      return { port, server: await start(port) };
    } catch (error) {
      if (attempt === ATTEMPTS || !String(error).includes(takenText)) throw error;
    }
  }
}

/** On a busy machine each pick may be another's the next moment. */
const ATTEMPTS = 5;

/**
 * Starts a server again on its port. While the server was down, any program could take the port, so the start is repeated until the
 * port is free.
 * @param takenText what the start's error says when the port is taken
 */
export async function onPortAgain<Server>(
  port: number,
  takenText: string,
  start: (port: number) => Promise<Server>,
): Promise<Server> {
  for (const end = performance.now() + AGAIN_MS; ; await sleep(100)) {
    try {
      return await start(port);
    } catch (error) {
      if (performance.now() > end || !String(error).includes(takenText)) throw error;
    }
  }
}

/** A net, in milliseconds: most programs have such a port for a moment, as clients and tests do. */
const AGAIN_MS = 60_000;
