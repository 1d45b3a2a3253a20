import { expect, test } from 'vitest';
import { stage, startWorker } from './stage.js';

/** The workers. */
export function workers(): void {
  test('a worker is seen, and so is its end', async () => {
    const worker = await startWorker({ name: 'stacker', version: '4f2a', concurrency: 4 });
    const { page, complaints, faults, screenshot } = await stage.open('/?screen=workers');
    const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'stacker' }) });
    await row.getByText('alive').waitFor();
    await row.getByText('4f2a').waitFor();
    await row.getByText('0 of 4').waitFor();
    await row.getByText(/^\d+ MB$/).waitFor();
    await screenshot('workers');
    expect(await faults()).toEqual([]);
    await worker.stop();
    await row.getByText('gone').waitFor();
    expect(complaints).toEqual([]);
  });
}
