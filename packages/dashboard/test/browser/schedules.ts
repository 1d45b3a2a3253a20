import { expect, test } from 'vitest';
import { Report, stage } from './stage.js';

/** Schedules: their times, and what is done to them. */
export function schedules(): void {
  test('a schedule is run, its times are seen, and it is paused, resumed and removed', async () => {
    await stage.rowlock.schedules.set('nightly', {
      handler: Report,
      payload: { of: 'yesterday' },
      cron: '0 3 * * *',
    });
    const { page, complaints, faults, screenshot } = await stage.open('/?screen=schedules');
    const choose = async (text: string) => {
      await page.getByRole('button', { name: 'Actions of the schedule nightly' }).click();
      await page.getByRole('button', { name: text }).click();
    };
    await choose('Run now');
    await page.getByText('Enqueued a job of nightly.').waitFor();
    await choose('Run now');
    await page.getByText('Nothing was enqueued: an earlier job of nightly is outstanding.').waitFor();
    await choose('Times …');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('listitem').filter({ hasText: 'new' }).waitFor();
    await expect.poll(() => dialog.getByRole('listitem').count()).toBe(6);
    expect(await faults()).toEqual([]);
    await page.getByRole('button', { name: 'Back' }).click();
    await choose('Pause');
    await page.getByText('Paused nightly.').waitFor();
    await screenshot('schedules');
    expect(await faults()).toEqual([]);
    await choose('Resume');
    await page.getByText('Resumed nightly.').waitFor();
    await choose('Remove …');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('There is no schedule.', { exact: false }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('by keyboard: a schedule is made and changed, its next times are seen, and what is refused stays', async () => {
    stage.grant = ['operator', 'enqueue'];
    const { page, faults, screenshot, tabTo } = await stage.open('/?screen=schedules');
    await tabTo('New schedule …');
    await page.keyboard.press('Enter');
    await page.getByLabel('Kind').selectOption('report');
    await page.getByLabel('of (required)').fill('yesterday');
    await page.getByLabel('Name of the schedule').fill('nightly');
    await page.getByLabel('Time zone').fill('Asia/Tokyo');
    const cron = page.getByLabel('Cron expression', { exact: true });
    await cron.fill('0 3 * *');
    await cron.press('Tab');
    const preview = page.getByRole('status').filter({ hasText: 'cron' });
    await preview.getByText('cron must have 5 fields', { exact: false }).waitFor();
    await cron.press('Enter');
    await page.getByRole('alert').getByText('cron must have 5 fields', { exact: false }).waitFor();
    expect(await cron.inputValue()).toBe('0 3 * *');
    expect(await faults()).toEqual([]);
    await cron.fill('0 3 * * *');
    await cron.press('Tab');
    await expect.poll(() => page.getByRole('listitem').filter({ hasText: 'in ' }).count()).toBe(5);
    await screenshot('new-schedule');
    expect(await faults()).toEqual([]);
    await cron.press('Enter');
    await page.getByText('Set the schedule nightly.').waitFor();
    const actions = page.getByRole('button', { name: 'Actions of the schedule nightly' });
    await actions.press('Enter');
    await page.getByRole('button', { name: 'Change …' }).press('Enter');
    await page.getByLabel('Fires').selectOption('at equal distances');
    await page.getByLabel('Every', { exact: true }).fill('90m');
    await page.getByLabel('While no worker runs').selectOption('several are made up for');
    await page.getByLabel('Beside an earlier job').selectOption('both may run at once');
    await page.getByLabel('Every', { exact: true }).press('Enter');
    await page.getByText('every 1.5 h').waitFor();
    expect(await stage.rowlock.schedules.list()).toMatchObject([
      {
        ...{ name: 'nightly', payload: { of: 'yesterday' }, everyMs: 5_400_000, cron: null },
        ...{ missed: { all: { max: 10 } }, overlap: 'allow', updatedBy: 'dashboard' },
      },
    ]);
  });
}
