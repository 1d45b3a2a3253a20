import { withCosts } from './job-costs.mjs';

/** However busy the machine is. */
export const LIMIT_MS = 120_000;

/** Works off so many jobs, all that there are, and says what that has cost. @throws Error when some are left after a while */
export function drainAll(stage, database, call, jobs) {
  return withCosts(stage, database, () => call('drain', { jobs, limitMs: LIMIT_MS, all: true }));
}

/** The same in an empty database that is filled before. */
export function fillAndDrain(stage, entry, jobs) {
  const { database } = entry.system;
  return stage.play(entry, async ({ call, url }) => {
    await call('fill', { jobs });
    await stage.servers.analyze(database, url);
    return drainAll(stage, database, call, jobs);
  });
}
