import { readFileSync } from 'node:fs';
import { connect } from '../connect.mjs';
import { percentiles } from '../statistics.mjs';

/** What each system has left, by its own tables: the ids of the jobs that are not settled, and of those that it has given up. */
const LEFT = {
  rowlock: {
    unsettled: "SELECT payload->>'id' AS id FROM rowlock.job WHERE status IN ('new', 'in-progress')",
    failed: "SELECT payload->>'id' AS id FROM rowlock.job WHERE status IN ('error', 'cancelled')",
  },
  'graphile-worker': {
    unsettled: "SELECT payload->>'id' AS id FROM graphile_worker._private_jobs WHERE attempts < max_attempts",
    failed:
      "SELECT payload->>'id' AS id FROM graphile_worker._private_jobs WHERE attempts >= max_attempts AND locked_at IS NULL",
  },
  'pg-boss': {
    unsettled: "SELECT data->>'id' AS id FROM pgboss.job WHERE name = 'bench' AND state < 'completed'",
    failed:
      "SELECT data->>'id' AS id FROM pgboss.job WHERE name = 'bench' AND state IN ('failed', 'cancelled')",
  },
};

export async function unsettled(tables, url) {
  const plain = await connect('postgres', url);
  try {
    return await plain.number(`SELECT count(*) FROM (${LEFT[tables].unsettled}) AS job`);
  } finally {
    await plain.end();
  }
}

/** What the adapter's processes have written down. */
export function readLedger(path) {
  const offered = new Map();
  const acknowledged = new Set();
  const begun = [];
  const ended = [];
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const [what, ms, first, from, jobs] = line.split(' ');
    const at = Number(ms);
    if (what === 'b') begun.push({ id: first, at });
    else if (what === 'e') ended.push({ id: first, at });
    else
      for (let place = 0; place < Number(jobs); place++) {
        const id = `${first}-${Number(from) + place}`;
        if (what === 'o') offered.set(id, at);
        else acknowledged.add(id);
      }
  }
  return { offered, acknowledged, begun, ended };
}

/** Rates and times of one phase. */
export function figures({ offered, begun, ended }, { from, to }) {
  const within = ({ at }) => at >= from && at < to;
  const seconds = (to - from) / 1000;
  const claims = begun.filter(within).map(({ id, at }) => at - offered.get(id));
  const offers = [...offered.values()].filter((at) => within({ at })).length;
  const ends = ended.filter(within).length;
  return {
    offered: offers / seconds,
    completed: ends / seconds,
    toOffered: offers === 0 ? null : ends / offers,
    ...percentiles(claims),
  };
}

/**
 * What has become of the jobs whose enqueue was acknowledged, by what the handlers have written down, by the rows that each tenth job
 * wrote, and by the system's own tables.
 *
 * @returns `lost`: gone without a run that ended, or without its row; `doubled`: with two rows; `stuck`: not settled yet;
 *   `failed`: given up; `again`: run to the end more than once, as after a settlement that did not arrive
 */
export async function account(tables, url, { acknowledged, ended }, effectEvery) {
  const plain = await connect('postgres', url);
  try {
    const ids = async (text) => new Set((await plain.ask(text)).map(({ id }) => id));
    const stuck = await ids(LEFT[tables].unsettled);
    const failed = await ids(LEFT[tables].failed);
    const effects = await plain.ask('SELECT id, count(*)::int AS times FROM effect GROUP BY id');
    const written = new Set(effects.map(({ id }) => id));
    const runs = new Map();
    for (const { id } of ended) runs.set(id, (runs.get(id) ?? 0) + 1);
    const hasEffect = (id) => Number(id.slice(id.lastIndexOf('-') + 1)) % effectEvery === 0;
    const lost = [...acknowledged].filter(
      (id) => !stuck.has(id) && !failed.has(id) && (!runs.has(id) || (hasEffect(id) && !written.has(id))),
    );
    return {
      acknowledged: acknowledged.size,
      lost: lost.length,
      doubled: effects.filter(({ times }) => times > 1).length,
      stuck: stuck.size,
      failed: failed.size,
      again: [...runs.values()].filter((times) => times > 1).length,
    };
  } finally {
    await plain.end();
  }
}
