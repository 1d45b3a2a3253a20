import { expect, test, vi } from 'vitest';
import { Mail, stage } from './stage.js';

/** Queues and kinds, and what needs somebody. */
export function overview(): void {
  test('by keyboard: a queue is paused with a reason, and resumed', async () => {
    await stage.rowlock.enqueue(Mail, { payload: { to: 'ada' } });
    const { page, complaints, tabTo, faults, screenshot } = await stage.open('/');
    await page.getByText('No worker is alive.', { exact: false }).waitFor();
    const choose = async (text: string) => {
      await page.keyboard.press('Enter');
      await tabTo(text);
      await page.keyboard.press('Enter');
    };
    await tabTo('Actions of the queue mail');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Pause …' }).waitFor();
    expect(await faults()).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Actions of the queue mail');
    await choose('Pause …');
    await page.getByRole('dialog', { name: 'Pause the queue mail?' }).waitFor();
    expect(await faults()).toEqual([]);
    await page.keyboard.press('Escape');
    // By its element: a closed dialog has no role any more, and the page takes it away at its close event.
    await page.locator('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Actions of the queue mail');
    await choose('Pause …');
    await page.getByLabel('Reason').waitFor();
    await page.getByLabel('Reason').focus();
    await page.keyboard.type('the provider is down');
    await page.keyboard.press('Enter');
    await page.getByText('Paused the queue mail.').waitFor();
    await page.getByText(': the provider is down').waitFor();
    expect(await stage.rowlock.jobs.pauses()).toMatchObject([
      { scope: 'queue', name: 'mail', reason: 'the provider is down', until: null },
    ]);
    await screenshot('paused');
    expect(await faults()).toEqual([]);
    await tabTo('Resume the queue mail');
    await page.keyboard.press('Enter');
    await page.getByText('Resumed the queue mail.').waitFor();
    expect(await stage.rowlock.jobs.pauses()).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('a capture whose triggers are not there is told of', async () => {
    const check = vi.spyOn(stage.rowlock.captures, 'check').mockResolvedValue([
      {
        name: 'orders',
        problems: [
          { code: 'missing', message: 'There is no trigger of t.' },
          { code: 'unwelcome', message: 'That of old is of no use.' },
        ],
        warnings: [],
      },
    ]);
    const { page, faults, complaints } = await stage.open('/');
    // What the test before has looked at is shown for a while.
    while (check.mock.calls.length === 0) {
      // A page that is left before its request is sent makes no look.
      const answered = page.waitForResponse((response) => response.url().includes('/api/captures'));
      await page.reload();
      await answered;
    }
    await page
      .getByText('Changes may not become jobs, by the capture orders: There is no trigger of t. And 1 more.')
      .waitFor();
    expect(await faults()).toEqual([]);
    expect(complaints).toEqual([]);
    check.mockRestore();
  });
}
