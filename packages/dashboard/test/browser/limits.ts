import { expect, test } from 'vitest';
import { Mail, stage } from './stage.js';

/** Limits, and what dialogs keep. */
export function limits(): void {
  test('a reason for a pause and the numbers of a limit stay until they are saved', async () => {
    await stage.rowlock.enqueue(Mail, { payload: { to: 'ada' } });
    const { page } = await stage.open('/');
    const dialog = page.getByRole('dialog');
    const refusal = (permission: string) =>
      dialog.getByText(`You need the permission "${permission}" for this.`);
    await page.getByRole('button', { name: 'Actions of the queue mail' }).click();
    await page.getByRole('button', { name: 'Pause …' }).click();
    await dialog.getByLabel('Reason').fill('the provider is down');
    stage.grant = 'read-only';
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await refusal('pause').waitFor();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('the provider is down');
    stage.grant = 'operator';
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused the queue mail.').waitFor();
    await stage.rowlock.jobs.resume({ queue: 'mail' });
    await page.getByRole('link', { name: 'Limits' }).click();
    await page.getByRole('button', { name: 'Set a limit' }).click();
    await dialog.getByLabel('Name of the limit').fill('mail');
    await dialog.getByLabel('How many starts', { exact: true }).fill('100');
    await dialog.getByRole('button', { name: 'Set' }).click();
    await dialog.getByText(/per/).waitFor();
    expect(await dialog.getByLabel('How many starts', { exact: true }).inputValue()).toBe('100');
    await dialog.getByLabel('In how many seconds').fill('60');
    await dialog.getByRole('button', { name: 'Set' }).click();
    await page.getByText('Set the limit mail.').waitFor();
    await stage.rowlock.limits.reset('mail');
  });

  test('what a dialog stands on does not go away below it', async () => {
    await stage.rowlock.limits.set('mail', { max: 3 });
    const { page } = await stage.open('/?screen=limits');
    await page.clock.install();
    await page.reload();
    await page.getByRole('button', { name: 'Actions of the limit mail' }).click();
    await page.getByRole('button', { name: 'Set …' }).click();
    await page.getByRole('dialog').getByLabel('How many at once').fill('4');
    const looks: string[] = [];
    page.on('request', (request) => looks.push(request.url()));
    await stage.rowlock.limits.reset('mail');
    await page.clock.runFor(20_000);
    expect(looks).toEqual([]);
    await page.getByRole('button', { name: 'Back' }).click();
    await page.clock.runFor(20_000);
    await page.getByText('No limit is in use, and none was set.').waitFor();
  });

  test('limits are set, beginning with the numbers of today, and reset', async () => {
    const { page, complaints, faults, screenshot } = await stage.open('/?screen=limits');
    const set = () => page.getByRole('button', { name: 'Set', exact: true }).click();
    await page.getByRole('button', { name: 'Set a limit' }).click();
    await page.getByLabel('Name of the limit').fill('mail');
    await page.getByLabel('How many at once').fill('3');
    expect(await faults()).toEqual([]);
    await set();
    await page.getByRole('rowheader', { name: 'mail' }).waitFor();
    await page.getByRole('button', { name: 'Set a limit …' }).click();
    await page.getByLabel('Name of the limit').fill('mail');
    expect(await page.getByLabel('How many at once').inputValue()).toBe('3');
    await page.getByLabel('How many starts', { exact: true }).fill('100');
    await page.getByLabel('In how many seconds').fill('60');
    await set();
    await page.getByRole('cell', { name: '100 in 1 min' }).waitFor();
    const mail = (await stage.rowlock.limits.list()).find(({ name }) => name === 'mail');
    expect(mail).toMatchObject({ max: 3, starts: 100, burst: 1 });
    await screenshot('limits');
    expect(await faults()).toEqual([]);
    await page.getByRole('button', { name: 'Actions of the limit mail' }).click();
    await page.getByRole('button', { name: 'Reset' }).click();
    await page.getByText('The limit mail is as the handlers say again.').waitFor();
    expect((await stage.rowlock.limits.list()).find(({ name }) => name === 'mail')).toBeUndefined();
    expect(complaints).toEqual([]);
  });
}
