import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Failure } from '../../failure.js';

/** Other machines do not reach it. */
export const HOST = '127.0.0.1';

const SENTENCES: Readonly<Record<string, (port: number) => string>> = {
  EADDRINUSE: (port) => `Another program has the port ${port}. Pass another one, or no --port.`,
  EACCES: (port) => `This account may not use the port ${port}. Pass one from 1024 on, or no --port.`,
};

/** @param port 0: a free one. @throws Failure when it is taken */
export async function listen(port: number): Promise<{ readonly server: Server; readonly port: number }> {
  // After Node's 5 s a browser may send into a connection that is being closed.
  const server = createServer({ keepAliveTimeout: 75_000 }).listen(port, HOST);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new Failure(SENTENCES[Object(error).code]?.(port) ?? `The port ${port} cannot be used: ${error}`);
  }
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : port };
}
