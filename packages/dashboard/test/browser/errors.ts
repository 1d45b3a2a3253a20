import { expect, test } from 'vitest';
import { Mail, stage, work } from './stage.js';

/** What operators say of errors. */
export function someErrors(): void {
  test('by keyboard: errors get a note, are muted, which folds them away, and are unmuted', async () => {
    await stage.rowlock.enqueue(Mail, { payload: { to: 'nobody' } });
    await work();
    const { page, complaints, tabTo, faults, screenshot } = await stage.open('/?screen=errors');
    const dialog = page.getByRole('dialog');
    const choose = async (item: string): Promise<void> => {
      await page.getByRole('button', { name: 'Actions of ENOROUTE of mail.send' }).press('Enter');
      await page.getByRole('button', { name: item }).press('Enter');
    };
    await page.getByRole('cell', { name: 'ENOROUTE no route to nobody' }).waitFor();
    await choose('Note …');
    await page.keyboard.type('Ada asks the provider');
    await tabTo('Save');
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: /no route to nobody\s*Ada asks the provider/ }).waitFor();
    await choose('Mute …');
    await dialog.getByLabel('For how long').selectOption('7 days');
    await dialog.getByRole('button', { name: 'Mute' }).press('Enter');
    await page.getByText('No job has failed but for muted errors.').waitFor();
    await page.getByText('1 muted, with 1 job').press('Enter');
    await page.getByText(/Muted by .* now, ends in 7 d/).waitFor();
    await screenshot('muted-errors');
    expect(await faults()).toEqual([]);
    await choose('Unmute');
    await page.getByRole('region', { name: 'Errors', exact: true }).waitFor();
    const { entries } = await stage.rowlock.insight.audit({ scope: 'error' });
    expect(entries.map(({ action }) => action)).toEqual(['unmute', 'mute', 'note']);
    expect(complaints).toEqual([]);
  });
}
