/** Microseconds of a core a job, by who spends them. */
export const COSTS = { clientUs: (result) => result.clientUs, serverUs: (result) => result.serverUs };

/**
 * Adds to a drain's result what the client and the server have spent for each of its jobs, in microseconds of a core.
 * Not a number where that cannot be counted: a client whose jobs run in other processes, a server that runs elsewhere.
 */
export async function withCosts(stage, database, drain) {
  const before = await stage.serverCpuSeconds(database);
  const result = await drain();
  const serverSeconds = (await stage.serverCpuSeconds(database)) - before;
  const perJob = (seconds = Number.NaN) => (seconds * 1e6) / result.jobs;
  return { ...result, clientUs: perJob(result.cpuSeconds), serverUs: perJob(serverSeconds) };
}
