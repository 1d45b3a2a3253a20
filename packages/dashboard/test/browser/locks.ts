import { expect, test } from 'vitest';
import { Letter, Mail, Print, stage, startWorker } from './stage.js';

/** The picture of a queue. */
export function locks(): void {
  test('the lock picture: who runs, who waits for what, and who has the slot of a limit', async () => {
    const worker = await startWorker({ name: 'packer' });
    const first = await stage.rowlock.enqueue(Print, { payload: { page: 1 }, key: 'book' });
    const { page, complaints, faults, screenshot } = await stage.open('/?screen=picture&queue=printers');
    const row = (id: string) =>
      page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: id.slice(-8) }) });
    await row(first.publicId).getByText('runs on packer').waitFor();
    const second = await stage.rowlock.enqueue(Print, { payload: { page: 2 }, key: 'book' });
    const third = await stage.rowlock.enqueue(Print, { payload: { page: 3 } });
    await row(second.publicId)
      .getByText(`waits for job …${first.publicId.slice(-8)} of its key`)
      .waitFor();
    await row(third.publicId).getByText('waits for a slot of the limit printer').waitFor();
    const blocks = page.getByRole('region', { name: 'What blocks what' }).getByRole('listitem');
    await blocks.filter({ hasText: '1 job waits for a slot of the limit printer.' }).waitFor();
    await blocks.filter({ hasText: 'of the kind print and the key book, which runs on packer' }).waitFor();
    await page.getByRole('img').hover({ position: { x: 4, y: 4 } });
    await page.getByText(`…${first.publicId.slice(-8)}, print, key book: runs on packer`).waitFor();
    await screenshot('picture');
    expect(await faults()).toEqual([]);

    await page.getByRole('link', { name: 'Limits' }).click();
    await page.getByRole('cell', { name: '1 of 1' }).waitFor();
    await page.getByText('print on packer').waitFor();
    await screenshot('limits-in-use');
    expect(await faults()).toEqual([]);
    await stage.rowlock.jobs.pause({ limit: 'printer' });
    await page.getByRole('button', { name: 'Resume the limit printer' }).click();
    await page.getByRole('button', { name: 'Resume the limit printer' }).waitFor({ state: 'detached' });
    stage.openGate();
    await stage.rowlock.settled(third.publicId, { timeout: '60s' });
    await worker.stop();
    expect(complaints).toEqual([]);
  });

  test('a picture of thousands of jobs, and the same in rows, where neighbours that are alike have one', async () => {
    const mails = (count: number, priority: (place: number) => number) =>
      stage.rowlock.enqueueMany(
        Mail,
        Array.from({ length: count }, (_, place) => ({
          payload: { to: 'ada' },
          priority: priority(place),
          ...(place % 2 === 0 && { key: `key ${place % 50}` }),
        })),
      );
    const jobs = await mails(60, (place) => 2 * place);
    const letters = await stage.rowlock.enqueueMany(
      Letter,
      Array.from({ length: 60 }, (_, place) => ({ payload: {}, priority: 2 * place + 1 })),
    );
    await mails(2_380, () => 1_000);
    const { page, complaints, screenshot, overflow } = await stage.open(
      '/?screen=picture&queue=mail&limit=10000',
    );
    await page.getByText('1 to 100 of 2,500').waitFor();
    await page.getByRole('button', { name: 'After' }).press('Enter');
    await page.getByText('101 to 2,500 of 2,500').waitFor();
    await page.getByRole('rowheader', { name: letters[59]?.publicId.slice(-8) ?? '' }).waitFor();
    const all = page.getByRole('row').filter({ hasText: '121 to 2,500' });
    await all.getByText('25 keys').waitFor();
    await all.getByText('2,380 jobs').click();
    await all.getByText('and 2,280 more').waitFor();
    await page.getByText('2,440 jobs of the kind mail.send are served by no live worker.').waitFor();
    await screenshot('picture-of-thousands');
    expect(await overflow()).toBe(0);
    await page.getByRole('img').click({ position: { x: 4, y: 4 } });
    await page.getByText(jobs[0]?.publicId ?? '', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });
}
