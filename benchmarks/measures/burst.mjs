import { drainAll } from '../drain-all.mjs';
import { costTable, metricTable, milliseconds } from '../table.mjs';
import { apartTable, inTwoSizes } from '../two-sizes.mjs';

const JOBS = [500, 2_000];
const QUICK_JOBS = [10, 50];

/** No-op jobs that wait when a worker's process starts: from the call of its start until all of them are settled. */
export async function burst(stage, database) {
  const { rounds, quick } = stage.options;
  const sizes = quick ? QUICK_JOBS : JOBS;
  const found = await inTwoSizes(`burst on ${database}`, stage.entries('burst', database), rounds, {
    sizesOf: () => sizes,
    play: (entry) => burstOnce(stage, entry),
  });
  const title = (size) => `Burst on ${database}, ${sizes[size].toLocaleString('en')} jobs`;
  const text = [
    ...[found.few, found.many].flatMap((rows, size) => [
      `${title(size)}: ms from the start of a new process's worker\n${metricTable(rows, 'ms', milliseconds)}`,
      `${title(size)}: ms until its first job\n${metricTable(rows, 'firstMs', milliseconds)}`,
      `${title(size)}: microseconds of a core a job\n${costTable(rows)}`,
    ]),
    `Burst on ${database}: ms of the start of a worker, and microseconds of each further job\n${apartTable(found.apart)}`,
  ];
  return { rows: found, text: text.join('\n\n') };
}

function burstOnce(stage, entry) {
  const { jobs, system, setting } = entry;
  // The process that starts finds its tables, and does not look after them.
  const starting = { system, setting: { ...setting, hasTables: true } };
  return stage.withDatabase(system.database, async (url) => {
    await stage.playIn(entry, url, ({ call }) => call('fill', { jobs }));
    await stage.servers.analyze(system.database, url);
    return stage.playFresh(starting, url, ({ call }) => drainAll(stage, system.database, call, jobs));
  });
}
