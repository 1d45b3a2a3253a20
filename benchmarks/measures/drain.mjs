import { withCosts } from '../job-costs.mjs';
import { costTable, metricTable, perSecond } from '../table.mjs';
import { apartTable, inTwoSizes, LIMIT_MS } from '../two-sizes.mjs';

/** To the jobs of a shape with one job a transaction. */
const MANY = 20;
const QUICK_JOBS = 40;

/** No-op jobs that are enqueued already, until all of them are settled. */
export async function drain(stage, database) {
  const { rounds, quick, jobs } = stage.options;
  const most = quick ? QUICK_JOBS : jobs;
  const sizesOf = ({ setting }) => {
    const size = setting.shape === 'many' ? most * MANY : most;
    return [Math.ceil(size / 4), size];
  };
  const found = await inTwoSizes(`drain on ${database}`, stage.entries('drain', database), rounds, {
    sizesOf,
    warm: async (entry) => {
      if (quick) return;
      const { rate } = await drainOnce(stage, entry);
      const [, size] = sizesOf(entry);
      if ((size / rate) * 1000 > LIMIT_MS)
        throw new Error(`${size} jobs would take it ${Math.round(size / rate)} s.`);
    },
    play: (entry) => drainOnce(stage, entry),
  });
  const text = [
    `Drain on ${database}: jobs a second\n${metricTable(found.many, 'rate', perSecond)}`,
    `Drain on ${database}: microseconds of a core a job\n${costTable(found.many)}`,
    `Drain on ${database}: ms of the start of a worker, and microseconds of each further job\n${apartTable(found.apart)}`,
  ];
  return { rows: found, text: text.join('\n\n') };
}

function drainOnce(stage, entry) {
  return stage.play(entry, async ({ call, url }) => {
    await call('fill', { jobs: entry.jobs });
    await stage.servers.analyze(entry.system.database, url);
    return withCosts(stage, entry.system.database, () =>
      call('drain', { jobs: entry.jobs, limitMs: LIMIT_MS, all: true }),
    );
  });
}
