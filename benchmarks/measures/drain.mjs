import { interleave } from '../interleave.mjs';
import { evaluate } from '../report.mjs';
import { metricTable, perSecond } from '../table.mjs';

/** What a round needs besides its draining: an empty database, its tables, its jobs. In milliseconds. */
const OVERHEAD_MS = 900;
const LONGEST_MS = 4_000;
const LEAST_JOBS = 20;

/** No-op jobs that are enqueued already, until all of them are settled. */
export async function drain(stage, database) {
  const { options } = stage;
  const entries = stage.entries('drain', database);
  const roundMs = Math.min(LONGEST_MS, Math.max(200, stage.shareMs('drain') - OVERHEAD_MS));
  const played = await interleave(`drain on ${database}`, entries, options.rounds, {
    prepare: (entry) => jobsFor(stage, entry, roundMs),
    play: (entry, jobs) => drainOnce(stage, entry, jobs, roundMs * 2),
  });
  const rows = evaluate(played, { rate: ({ rate }) => rate });
  const text = `Drain on ${database}: jobs a second\n${metricTable(rows, 'rate', perSecond)}`;
  return { rows, text };
}

/** As many jobs as it settles in a round, by what it does with a few. */
async function jobsFor(stage, entry, roundMs) {
  let [jobs, ms, rate] = [500, 0, 0];
  for (let tries = 0; tries < 3 && ms < roundMs / 4; tries++) {
    ({ ms, rate } = await drainOnce(stage, entry, jobs, Math.min(2_000, roundMs)));
    jobs = Math.max(LEAST_JOBS, Math.round((rate * roundMs) / 1000 / (tries === 0 ? 4 : 1)));
  }
  return Math.max(LEAST_JOBS, Math.round((rate * roundMs) / 1000));
}

function drainOnce(stage, entry, jobs, limitMs) {
  return stage.play(entry, async ({ call, url }) => {
    await call('fill', { jobs });
    await stage.servers.analyze(entry.system.database, url);
    return call('drain', { jobs, limitMs });
  });
}
