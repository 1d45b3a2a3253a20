import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BrowserStage, browserStage, Mail, Print } from './stage.js';

/** The runs of before: replay, list and charts. */
export function replay(): void {
  let stage: BrowserStage;
  let printed: string;

  /** A worker has failed with one job, and has run another one with a key until the gate was open. */
  beforeAll(async () => {
    stage = await browserStage();
    const { rowlock } = stage;
    const worker = rowlock.worker({ name: 'packer' });
    await worker.start();
    const failed = await rowlock.enqueue(Mail, { payload: { to: 'nobody' } });
    await rowlock.settled(failed.publicId, { timeout: '60s' });
    const job = await rowlock.enqueue(Print, { payload: { page: 1 }, key: 'book' });
    printed = job.publicId;
    // The record is written beside the run.
    while ((await rowlock.insight.runs(printed)).length === 0) await sleep(20);
    stage.openGate();
    await rowlock.settled(printed, { timeout: '60s' });
    await worker.stop();
  });
  afterAll(() => stage?.stop());

  test('by keyboard: the time goes back through the runs of a queue, event by event', async () => {
    const { page, complaints, faults, screenshot, tabTo } = await stage.open(
      '/?screen=picture&queue=printers',
    );
    await tabTo('The last minutes');
    await page.keyboard.press('Enter');
    const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'packer' }) });
    await row.getByText('1 complete').waitFor();
    await page.getByRole('slider', { name: 'Time' }).focus();
    await page.keyboard.press('Home');
    await page.getByText('0 jobs run').first().waitFor();
    expect(await row.getByText('complete').count()).toBe(0);
    await page.getByRole('button', { name: 'Next event' }).press('Enter');
    await row.getByText('print, key book', { exact: false }).waitFor();
    await row.getByText('then complete').waitFor();
    expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(/: 1 job runs$/);
    await screenshot('replay');
    expect(await faults()).toEqual([]);
    await page.getByRole('button', { name: 'Next event' }).press('Enter');
    await row.getByText('1 complete').waitFor();
    await page.getByRole('button', { name: 'Event before' }).press('Enter');
    await row.getByRole('link', { name: printed.slice(-8) }).press('Enter');
    await page.getByText(printed, { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('by mouse: the time is chosen in the drawing, and plays', async () => {
    const { page, complaints } = await stage.open('/?screen=replay&queue=printers&minutes=5');
    const slider = page.getByRole('slider', { name: 'Time' });
    const end = Number(await slider.getAttribute('max'));
    const value = async (): Promise<number> => Number(await slider.inputValue());
    await page.locator('.timeline svg').click({ position: { x: 1, y: 3 } });
    await page.getByText('0 jobs run').first().waitFor();
    const begin = await value();
    expect(begin).toBeLessThan(end - 290_000);
    await page.getByRole('button', { name: 'Play' }).click();
    await expect.poll(value, { timeout: 20_000 }).toBeGreaterThan(begin);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Play' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('the latest runs are found by their outcome, kind and worker', async () => {
    const { page, complaints, faults, screenshot } = await stage.open('/?screen=runs');
    await page.getByRole('rowheader', { name: 'print', exact: true }).waitFor();
    await page.getByRole('navigation', { name: 'Outcomes' }).getByRole('link', { name: 'fail' }).click();
    await page.getByText('ENOROUTE: no route to nobody').waitFor();
    await page.getByRole('rowheader', { name: 'print', exact: true }).waitFor({ state: 'detached' });
    await screenshot('runs');
    expect(await faults()).toEqual([]);
    await page.getByLabel('Worker').fill('packer');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\?outcome=fail&worker=packer&screen=runs$/);
    await page.getByText('ENOROUTE: no route to nobody').waitFor();
    await page.getByLabel('Kind').fill('print');
    await page.keyboard.press('Enter');
    await page.getByText('No such run began in this time.', { exact: false }).waitFor();
    expect(complaints).toEqual([]);
  });

  test.each(['light', 'dark'] as const)(
    'charts over hours and a week, and the same in rows, in %s',
    async (colorScheme) => {
      const { page, complaints, faults, screenshot } = await stage.open('/?screen=history', { colorScheme });
      await page.getByText('In numbers, of 1 min each').click();
      const table = page.getByRole('region', { name: 'Settled jobs over time' });
      await table.getByRole('row').nth(1).waitFor();
      await expect.poll(() => page.locator('.chart canvas').count()).toBe(3);
      await page.getByRole('button', { name: 'Zoom in' }).press('Enter');
      await page.getByRole('button', { name: 'Earlier' }).press('Enter');
      await page.getByText('Nothing was settled in this time.', { exact: false }).waitFor();
      await page.getByRole('button', { name: 'All of it' }).press('Enter');
      await page.getByText('The worker packer started.').waitFor();
      await page.getByText('In numbers, of 1 min each').click();
      await screenshot(`history-${colorScheme}`);
      expect(await faults()).toEqual([]);
      await page.getByRole('link', { name: 'a week' }).click();
      await page.getByText('In numbers, of 1 h each').waitFor();
      await page.getByLabel('Queue').selectOption('printers');
      await page.waitForURL(/last=7d&queue=printers/);
      await table.getByRole('row').nth(1).getByRole('cell', { name: '1' }).first().waitFor();
      expect(complaints).toEqual([]);
    },
  );
}
