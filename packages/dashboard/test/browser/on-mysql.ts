import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BrowserStage, browserStage, Mail, Print } from './stage.js';

/** The same page on the other database. */
export function onMysql(): void {
  let stage: BrowserStage;

  beforeAll(async () => {
    stage = await browserStage('MySQL');
  });
  afterAll(() => stage?.stop());

  test('on MySQL: the overview, jobs, a job, its picture, its replay and the history', async () => {
    const worker = stage.rowlock.worker({ name: 'packer' });
    await worker.start();
    const failed = await stage.rowlock.enqueue(Mail, { payload: { to: 'nobody' } });
    await stage.rowlock.settled(failed.publicId, { timeout: '60s' });
    const first = await stage.rowlock.enqueue(Print, { payload: { page: 1 }, key: 'book' });
    const second = await stage.rowlock.enqueue(Print, { payload: { page: 2 }, key: 'book' });
    const { page, complaints, faults, tabTo } = await stage.open('/');
    await page.getByRole('rowheader', { name: 'print', exact: true }).waitFor();
    expect(await faults()).toEqual([]);

    await tabTo('Jobs');
    await page.keyboard.press('Enter');
    await page.getByText('3 jobs, newest first', { exact: true }).waitFor();
    await page.getByRole('navigation', { name: 'States' }).getByRole('link', { name: 'error' }).click();
    await page.getByText('1 job, newest first', { exact: true }).waitFor();
    await page.getByRole('link', { name: failed.publicId.slice(-8) }).press('Enter');
    await page.getByText(/^It ended as error at .*, with ENOROUTE: no route to nobody\.$/).waitFor();
    await page.getByRole('button', { name: 'Redrive' }).click();
    await page.getByText('Redriven: it has all its attempts again.').waitFor();

    await page.getByRole('link', { name: 'Locks' }).click();
    await page.getByLabel('Queue').selectOption('printers');
    const row = (id: string) =>
      page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: id.slice(-8) }) });
    await row(first.publicId).getByText('runs on packer').waitFor();
    await row(second.publicId)
      .getByText(`waits for job …${first.publicId.slice(-8)} of its key`)
      .waitFor();
    expect(await faults()).toEqual([]);
    stage.openGate();
    await stage.rowlock.settled(second.publicId, { timeout: '60s' });
    await worker.stop();

    await page.getByRole('link', { name: 'The last minutes' }).click();
    await page.getByText('2 complete').waitFor();
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByText('In numbers', { exact: false }).waitFor();
    expect(complaints).toEqual([]);
  });
}
