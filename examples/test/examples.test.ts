import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freshDatabase, freshMysqlDatabase } from '@rowlock/servers';
import { expect, inject, test } from 'vitest';

const FOLDER = new URL('../', import.meta.url);
const FILES = readdirSync(FOLDER).filter((file) => /^\d\d-.+\.ts$/.test(file));
const source = (file: string): string => readFileSync(new URL(file, FOLDER), 'utf8');

/** What each prints; the comments in the examples say the same. */
const PRINTS: Readonly<Record<string, string>> = {
  '01-first-handler.ts': 'complete Hello Ada\n',
  '02-one-transaction.ts': '[ { id: 7, confirmed: true } ]\n',
  '03-group-and-order.ts': 'create Budget\nupdate budget: 30 clicks, one run\n',
  '04-outcomes.ts': '{ attempt: 3 }\n',
  '05-later-once-first.ts': 'duplicate true\nfirst\nsecond\nthird\n',
  '06-classes.ts': '7\n',
  '07-batch.ts': '{ count: 99, more: false }\n',
  '08-follow-up.ts': 'mail to ada@example.com\n1\n',
  '09-schedules.ts': '03:00:00\ntrue\n',
  '10-only-enqueues.ts': 'resized ada.png\n',
  '11-plugin.ts': 'mail to ada@example.com, for request 7f3a\n',
  '12-row-locks.ts': '[ { due: 1000 }, { due: 2000 } ]\n',
  '13-row-locks-mysql.ts': '[ { due: 1000 }, { due: 2000 } ]\n',
  '14-limits.ts': 'true\n',
  '15-atomic-updates.ts': '{ opened: 2 }\n[ { stats: { rows: 3, imports: 1 } } ]\n',
  '16-starts.ts': '5 true\n',
  '17-pauses.ts': '0 the provider is down Ada\n3\n',
  '18-why.ts': 'paused, unserved\ncomplete sent to bob\nmail.send 1\n',
  '19-many-jobs.ts': '{ count: 2, more: false }\n2\n2\n',
  '20-capture.ts': "order 7: 3 changes, one run\n[ { order_id: '7', words: 'oar lock' } ]\n",
  '21-telemetry.ts':
    '{ live: true, ready: true, reasons: [] }\nrowlock_jobs_settled_total{queue="default",kind="greet",outcome="complete"} 1\n',
  '22-two-versions.ts': 'new 0 ROWLOCK_INVALID_PAYLOAD\nsent in fr\n',
  '23-fan-in.ts': 'follows\n600\n',
  '24-dashboard.ts': '403\ntext/html; charset=utf-8\nhidden unserved\n',
  '25-picture.ts': 'running, key, delayed false\ntrue true\n',
  '26-debounce.ts': 'enqueued replaced replaced\nsaved Row\n',
  '27-latest-runs.ts': 'ann mail.send no such address\n61 2\n',
  '28-several-keys.ts': '100 products\n',
  '29-encrypted-payload.ts': "[ 'rowlock.encoded' ]\nada\n",
  '30-until-idle.ts': 'small ada.png\nidle 2 1\n',
};

test('every example is known here', () => expect(FILES).toEqual(Object.keys(PRINTS)));

test.each(FILES)('%s prints what it says, and ends by itself', async (file) => {
  const database = file.includes('mysql')
    ? await freshMysqlDatabase(inject('mysqlUrl'))
    : await freshDatabase(inject('postgresUrl'));
  try {
    const program = new URL(`dist/${file.replace(/\.ts$/, '.js')}`, FOLDER);
    const env = { ...process.env, DATABASE_URL: database.url };
    const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(program)], {
      env,
      timeout: 100_000,
    });
    expect(stdout).toBe(PRINTS[file]);
  } finally {
    await database.drop();
  }
});

test.each(FILES)('%s has fewer than 40 lines', (file) => {
  expect(source(file).trimEnd().split('\n').length).toBeLessThan(40);
});
