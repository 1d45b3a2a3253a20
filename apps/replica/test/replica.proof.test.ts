import { eventually } from '@rowlock/app-shared/testing';
import { expect, test } from 'vitest';
import { byHand } from './support/by-hand.js';
import { describeReplication } from './support/describe-replication.js';
import { startFreezingWorker } from './support/freezing-worker.js';
import { IDS, write } from './support/writer.js';

const WRITERS = 4;
// Longer by hand: CHANGES=20000.
const CHANGES = Number(process.env.CHANGES ?? 400);
/** A net, as everywhere. */
const WITHIN_MS = 120_000 + CHANGES * 100;

describeReplication((of) => {
  test('writers at the same time, killed and frozen workers: in the end both tables are equal', {
    timeout: WITHIN_MS,
  }, async () => {
    const { from, urls, app, startWorker, settled, expectEqual, defer } = of();
    const url = urls.SOURCE_URL;
    for (let id = 1; id <= IDS; id += 2)
      await byHand(url, (ask) => ask("INSERT INTO item VALUES (?, 'old', 0.01, '')", [id]));
    let [made, committed, isWriting] = [0, 0, true];
    const pick = (most: number) => 1 + Math.floor(Math.random() * most);
    const writer = async () => {
      for (; isWriting && made < CHANGES; made += 1)
        // A writer may be refused: by a row of the same id, by a deadlock, or as its session was ended.
        if (await write(url, pick).catch(() => false)) committed += 1;
    };
    const done = (part: number) =>
      eventually(async () => made >= CHANGES * part, { withinMs: WITHIN_MS, everyMs: 1 });
    defer(async () => {
      isWriting = false;
    });
    const writing = Promise.all(Array.from({ length: WRITERS }, writer));
    await app.begin();
    const [first, second] = [await startWorker(), await startWorker()];

    await done(0.2);
    await first.kill();
    const third = await startWorker();
    await done(0.4);
    process.kill(second.pid, 'SIGSTOP');
    // As the server does with the sessions of a frozen process, later.
    await from.cut(url);
    await done(0.6);
    process.kill(second.pid, 'SIGCONT');
    await done(0.8);
    await third.kill();
    await startWorker();
    await writing;

    await settled(WITHIN_MS);
    // A run that was frozen may leave the turn that it takes when it goes on. The next run of the row takes it over.
    await expectEqual();
    expect(committed).toBeGreaterThan(CHANGES / 5);
  });

  test('a run that was frozen beyond the end of its claim does not overwrite what was copied later', async () => {
    const { from, urls, app, startWorker, settled, expectEqual, defer } = of();
    const url = urls.SOURCE_URL;
    await app.begin();
    await byHand(url, (ask) => ask("INSERT INTO item VALUES (1, 'early', 1.10, NULL)"));
    const frozen = startFreezingWorker(urls);
    defer(() => frozen.kill());
    await frozen.hasRead();

    await byHand(url, (ask) => ask("UPDATE item SET name = 'late' WHERE id = 1"));
    await from.cut(url);
    await startWorker();
    await settled();
    frozen.goOn();
    expect(await frozen.wrote()).toBe(false);
    await expectEqual();
  });
});
