import { createServer } from 'node:net';

/** A TCP port of 127.0.0.1 that nobody listens on: the wanted one if it is free, else one the system picks. */
export async function freePort(wanted = 0): Promise<number> {
  return (
    (await listenOnce(wanted)) ?? (await listenOnce(0)) ?? Promise.reject(new Error('No free TCP port.'))
  );
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

function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });
}
