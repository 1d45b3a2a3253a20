import { idleShares } from '../idle.mjs';
import { interleave } from '../interleave.mjs';
import { evaluate } from '../report.mjs';
import { milliseconds, table, times } from '../table.mjs';

const PACE = { overheadMs: 2_000, leastMs: 600, mostMs: 16_000 };
const OFFERED = [100, 500, 1_000];
const PAUSE_MS = 10;
const PERCENTILES = ['p50', 'p95', 'p99'];

/** From the call of enqueue to the start of the handler, producer and worker in one process. */
export async function latency(stage, database) {
  const entries = stage.entries('latency', database);
  const once = (entry, given) =>
    stage.play(entry, ({ call }) => call('latency', { pauseMs: PAUSE_MS, ...given }));
  const played = await interleave(`latency on ${database}`, entries, stage.options.rounds, {
    pace: { ...PACE, budgetMs: stage.budgetMs('latency', database) },
    prepare: (entry, forMs) => (stage.options.quick ? null : once(entry, { offered: [], forMs: forMs / 4 })),
    play: (entry, forMs) => once(entry, { offered: OFFERED, forMs }),
  });
  const kinds = ['idle', ...OFFERED];
  const metrics = kinds.flatMap((kind) =>
    PERCENTILES.map((name) => [`${kind} ${name}`, (result) => result[kind][name]]),
  );
  const rows = evaluate(played, Object.fromEntries(metrics));
  const text = kinds.map((kind) => {
    const title = kind === 'idle' ? 'idle' : `${kind} jobs a second offered`;
    return `Enqueue to handler on ${database}, ${title}: ms\n${percentileTable(rows, kind)}`;
  });
  const own = entries.filter(({ system }) => system.name === 'Rowlock');
  const idle = await idleShares(stage, database, own);
  return { rows, idle, text: [...text, idleTable(database, idle)].join('\n\n') };
}

function percentileTable(rows, kind) {
  const head = ['', '', ...PERCENTILES.flatMap((name) => [name, 'least', 'most', 'to Rowlock']), ''];
  const cells = rows.map(({ system, setting, problem, metrics }) => [
    system,
    setting,
    ...PERCENTILES.flatMap((name) => {
      const of = metrics[`${kind} ${name}`];
      if (!of) return ['-', '-', '-', '-'];
      return [...[of.median, of.least, of.most].map(milliseconds), times(of.toRowlock)];
    }),
    problem ?? '',
  ]);
  return table(head, cells);
}

function idleTable(database, idle) {
  const rows = idle.map(({ title, share }) => [
    title,
    '',
    Number.isFinite(share) ? `${(share * 100).toFixed(2)} %` : '-',
    '',
  ]);
  return `Share of a core that the ${database} server uses while nothing is enqueued and this waits\n${table(['', '', 'server', ''], rows)}`;
}
