import { createServer } from 'node:net';

/** How many ports that the system picks are tried. It picks what is free on 127.0.0.1, which somebody may have on ::1. */
const PICKS = 10;

/** A TCP port of localhost that nobody listens on: the wanted one if it is free, else one the system picks. */
export async function freePort(wanted = 0): Promise<number> {
  for (let picks = 0; picks <= PICKS; picks++) {
    const port = await ifFree(picks === 0 ? wanted : 0);
    if (port !== undefined) return port;
  }
  throw new Error('No free TCP port.');
}

async function ifFree(wanted: number): Promise<number | undefined> {
  const { port } = await listenOnce(wanted, '127.0.0.1');
  if (port === undefined) return undefined;
  // Who listens on ::1 alone is who answers at `localhost`: browsers try that first. Without IPv6 nobody does.
  const { refusal } = await listenOnce(port, '::1');
  return refusal === 'EADDRINUSE' ? undefined : port;
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
      if (attempt === 3 || !String(error).includes(takenText)) throw error;
    }
  }
}

/** Where it listened, or the code of what kept it from that. */
function listenOnce(port: number, host: string): Promise<{ port?: number; refusal?: string }> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve({ refusal: String(error.code) }));
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === 'object' ? address : {}));
    });
  });
}
