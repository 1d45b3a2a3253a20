import { fillAndDrain, LIMIT_MS } from '../drain-all.mjs';
import { costTable, metricTable, perSecond } from '../table.mjs';
import { apartTable, inTwoSizes } from '../two-sizes.mjs';

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
      const { rate } = await fillAndDrain(stage, entry, entry.jobs);
      const [, size] = sizesOf(entry);
      if ((size / rate) * 1000 > LIMIT_MS)
        throw new Error(`${size} jobs would take it ${Math.round(size / rate)} s.`);
    },
    play: (entry) => fillAndDrain(stage, entry, entry.jobs),
  });
  const text = [
    `Drain on ${database}: jobs a second\n${metricTable(found.many, 'rate', perSecond)}`,
    `Drain on ${database}: microseconds of a core a job\n${costTable(found.many)}`,
    `Drain on ${database}: ms of the start of a worker, and microseconds of each further job\n${apartTable(found.apart)}`,
  ];
  return { rows: found, text: text.join('\n\n') };
}
