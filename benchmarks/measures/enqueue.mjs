import { interleave } from '../interleave.mjs';
import { evaluate } from '../report.mjs';
import { metricTable, perSecond } from '../table.mjs';

const PACE = { overheadMs: 900, leastMs: 300, mostMs: 9_000 };
const AT_ONCE = 50;

const KINDS = {
  serial: 'one after the other',
  concurrent: `${AT_ONCE} calls at once`,
  bulk: 'many a call',
};

/** Jobs that are enqueued, while nobody works. */
export async function enqueue(stage, database) {
  const entries = stage.entries('enqueue', database);
  const play = (entry, forMs) =>
    stage.play(entry, ({ call }) =>
      call('enqueue', { stageMs: forMs / Object.keys(KINDS).length, atOnce: AT_ONCE }),
    );
  const played = await interleave(`enqueue on ${database}`, entries, stage.options.rounds, {
    pace: { ...PACE, budgetMs: stage.budgetMs('enqueue', database) },
    prepare: (entry, forMs) => play(entry, forMs / 3),
    play,
  });
  const metrics = Object.keys(KINDS).map((kind) => [kind, (result) => result[kind]?.rate ?? Number.NaN]);
  const rows = evaluate(played, Object.fromEntries(metrics));
  const text = Object.entries(KINDS).map(
    ([kind, title]) =>
      `Enqueue on ${database}, ${title}: jobs a second\n${metricTable(rows, kind, perSecond)}`,
  );
  return { rows, text: text.join('\n\n') };
}
