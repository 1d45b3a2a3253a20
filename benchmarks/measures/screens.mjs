import { progress } from '../progress.mjs';
import { answers } from '../screens/answers.mjs';
import { drains } from '../screens/drains.mjs';
import { openHistory } from '../screens/history.mjs';
import { openWatched } from '../screens/watched.mjs';

const HISTORY = { rows: 500_000, waiting: 100_000 };
const QUICK = { rows: 2_000, waiting: 1_000 };

/** The databases' caches. By default each is as small as its server has it. */
export function settingsForScreens({ cacheGib }) {
  if (cacheGib === null) return {};
  return {
    postgres: { shared_buffers: `${cacheGib}GB` },
    mysql: { 'innodb-buffer-pool-size': `${cacheGib}G` },
  };
}

/** How long each look of the dashboard takes beside a long history, and what ten open pages cost the workers. */
export async function screens(stage, database) {
  const { quick, rows, waiting } = stage.options;
  const size = quick ? QUICK : { rows: rows ?? HISTORY.rows, waiting: waiting ?? HISTORY.waiting };
  return stage.withDatabase(database, async (url) => {
    progress(`screens on ${database}: filling the tables`);
    const watched = await openWatched(database, url);
    try {
      await fill(database, url, watched, size);
      await watched.run();
      const place = { database, url, watched, beside: besideText(size) };
      const parts = [await answers(stage, place), await drains(stage, place)];
      const found = Object.assign({}, ...parts.map((part) => part.rows));
      return { rows: found, text: parts.map(({ text }) => text).join('\n\n') };
    } finally {
      await watched.close();
    }
  });
}

async function fill(database, url, { rowlock, workerId }, { rows, waiting }) {
  const history = await openHistory(database, url);
  try {
    await history.settled(rows, workerId);
    await history.waiting(waiting);
    await history.counted(rows);
    await history.noted();
    await history.schedules(rowlock);
    await history.tidy();
  } finally {
    await history.end();
  }
}

function besideText({ rows, waiting }) {
  const [settled, others] = [rows, waiting].map((jobs) => jobs.toLocaleString('en'));
  return `beside ${settled} settled and ${others} waiting jobs`;
}
