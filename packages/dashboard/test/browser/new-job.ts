import { expect, test } from 'vitest';
import { stage } from './stage.js';

/** A job that is made in a form. */
export function newJob(): void {
  test('by keyboard: a new job is made in a form, whose refused values stay', async () => {
    stage.grant = ['operator', 'enqueue'];
    const { page, faults, screenshot, tabTo } = await stage.open('/?screen=jobs');
    await tabTo('New job …');
    await page.keyboard.press('Enter');
    await page.getByLabel('Kind').selectOption('print');
    const field = page.getByLabel('page (required)');
    await field.fill('one');
    await field.press('Enter');
    await page.getByText('It is not a number.').waitFor();
    expect(await field.inputValue()).toBe('one');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await screenshot('new-job');
    expect(await faults()).toEqual([]);
    await field.fill('1');
    await page.getByLabel('Key', { exact: true }).fill('book');
    await page.route('**/api/enqueue', (route) => route.fulfill({ status: 401, json: {} }), { times: 1 });
    await field.press('Enter');
    await page.getByRole('alert').getByRole('link', { name: 'Sign in in another tab' }).waitFor();
    expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe('book');
    await field.press('Enter');
    await page.getByText('Enqueued.', { exact: true }).waitFor();
    expect((await stage.rowlock.jobs.list({})).jobs).toMatchObject([
      {
        kind: 'print',
        queue: 'printers',
        payload: { page: 1 },
        key: 'book',
        metadata: { 'rowlock.by': 'dashboard' },
      },
    ]);
  });
}
