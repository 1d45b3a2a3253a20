import { interleave } from '../interleave.mjs';
import { evaluate } from '../report.mjs';
import { metricTable, perSecond } from '../table.mjs';

const OVERHEAD_MS = 900;
const LONGEST_MS = 3_000;
const AT_ONCE = 50;

const KINDS = {
  serial: 'one after the other',
  concurrent: `${AT_ONCE} calls at once`,
  bulk: 'many a call',
};

/** Jobs that are enqueued, while nobody works. */
export async function enqueue(stage, database) {
  const { options } = stage;
  const entries = stage.entries('enqueue', database);
  const stageMs = Math.min(LONGEST_MS, Math.max(100, (stage.shareMs('enqueue') - OVERHEAD_MS) / 3));
  const once = (entry, ms) =>
    stage.play(entry, ({ call }) => call('enqueue', { stageMs: ms, atOnce: AT_ONCE }));
  const played = await interleave(`enqueue on ${database}`, entries, options.rounds, {
    prepare: (entry) => once(entry, stageMs / 3),
    play: (entry) => once(entry, stageMs),
  });
  const metrics = Object.keys(KINDS).map((kind) => [kind, (result) => result[kind]?.rate ?? Number.NaN]);
  const rows = evaluate(played, Object.fromEntries(metrics));
  const text = Object.entries(KINDS).map(
    ([kind, title]) =>
      `Enqueue on ${database}, ${title}: jobs a second\n${metricTable(rows, kind, perSecond)}`,
  );
  return { rows, text: text.join('\n\n') };
}
