/** The exit code of a front end whose port is taken: what EADDRINUSE is on Linux. */
export const PORT_TAKEN = 98;

/** Ends the process if its port is taken. @throws every other error. */
export function endIfPortTaken(error: unknown, { host, port }: { host: string; port: number }): never {
  if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
  console.error(`Port ${port} of ${host} is taken.`);
  process.exit(PORT_TAKEN);
}
