import { expect } from 'vitest';
import { countStates } from '../count-states.js';
import { emptyDatabase } from '../empty-database.js';
import { createStage } from '../stage.js';
import { theme } from '../theme.js';

export const migrate = theme('migrate', (test) => {
  test('brings an empty database to the newest version, and says what it did', async (stage) => {
    const { process } = await emptyDatabase(stage);
    const { driver } = await process();
    const report = await driver.schema.migrate();
    expect(report.from).toBe(0);
    expect(report.to).toBeGreaterThan(0);
    expect(report.applied.length).toBeGreaterThan(0);
    await driver.schema.verify();
  });

  test('does nothing the second time', async (stage) => {
    const { process } = await emptyDatabase(stage);
    const { driver } = await process();
    const { to } = await driver.schema.migrate();
    expect(await driver.schema.migrate()).toEqual({ from: to, to, applied: [] });
    await driver.schema.verify();
  });

  test('is done once by eight processes at once', async (stage) => {
    const { process } = await emptyDatabase(stage);
    const processes = await Promise.all(Array.from({ length: 8 }, () => process()));
    const reports = await Promise.all(processes.map(({ driver }) => driver.schema.migrate()));
    const applied = reports.flatMap((report) => report.applied);
    expect(new Set(applied).size).toBe(applied.length);
    expect(applied.length).toBeGreaterThan(0);
    expect(new Set(reports.map(({ to }) => to)).size).toBe(1);
    for (const { driver } of processes) await driver.schema.verify();
  });

  test('leaves the jobs that are there', async (stage) => {
    const { database, process } = await emptyDatabase(stage);
    const { driver } = await process();
    await driver.schema.migrate();
    const { stage: inner, end } = createStage(database, driver, stage.createDatabase);
    stage.defer(end);
    await inner.put();
    await inner.serve();
    await inner.put({ payload: { kept: true } });
    const before = await database.reader.jobs(inner.queue);
    await driver.schema.migrate();
    expect(await database.reader.jobs(inner.queue)).toEqual(before);
    expect((await inner.hold()).job.payload).toEqual({ kept: true });
  });

  test('leaves a transaction alone that is open meanwhile', async (stage) => {
    const { job, held } = await stage.put().then(async () => stage.hold());
    expect(await stage.driver.schema.migrate()).toMatchObject({ applied: [] });
    expect(await stage.claim(stage.claimSession())).toBeUndefined();
    expect(job.status).toBe('new');
    await held.rollback();
  });

  test('verify of an empty database says what to do', async (stage) => {
    const { process } = await emptyDatabase(stage);
    const { driver } = await process();
    await expect(driver.schema.verify()).rejects.toMatchObject({
      name: 'DriverError',
      code: 'SchemaOutdated',
      message: expect.stringMatching(/migrat/i),
    });
  });

  test('every verb on an empty database is SchemaOutdated', async (stage) => {
    const { process } = await emptyDatabase(stage);
    const { driver } = await process();
    const { queue, newJob } = stage;
    const outdated = {
      name: 'DriverError',
      code: 'SchemaOutdated',
      message: expect.stringMatching(/migrat/i),
    };
    await expect(driver.jobs.enqueue([newJob()])).rejects.toMatchObject(outdated);
    await expect(driver.jobs.list({ queue }, { limit: 1, before: null })).rejects.toMatchObject(outdated);
    await expect(countStates(driver, { queue })).rejects.toMatchObject(outdated);
    await expect(driver.claims.survey({ queues: [queue], kinds: ['work'] })).rejects.toMatchObject(outdated);
    await expect(driver.workers.anchor({ name: 'w', host: 'h', pid: 1, queues: [] })).rejects.toMatchObject(
      outdated,
    );
    const held = driver.claims.session({ idleLimitMs: 60_000 });
    await expect(stage.claim(held)).rejects.toMatchObject(outdated);
    await held.rollback();
  });

  test('two databases know nothing of each other', async (stage) => {
    const { database, process } = await emptyDatabase(stage);
    const { driver } = await process();
    await driver.schema.migrate();
    await stage.put();
    const { stage: inner, end } = createStage(database, driver, stage.createDatabase);
    stage.defer(end);
    expect(await inner.claim(inner.claimSession(), { queue: stage.queue })).toBeUndefined();
    expect(await database.reader.jobs(stage.queue)).toEqual([]);
  });
});
