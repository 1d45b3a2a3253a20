import { expect, test } from 'vitest';
import { Mail, Report, stage } from './stage.js';

/** What a viewer may see and do. */
export function access(): void {
  test('who may only read sees no button that changes something', async () => {
    stage.grant = 'read-only';
    const { publicId } = await stage.rowlock.enqueue(Mail, { payload: { to: 'ada' } });
    await stage.rowlock.schedules.set('hourly', { handler: Report, payload: { of: 'x' }, every: '1h' });
    const harmless = ['•••', 'Runs', 'History', 'Locks', 'Replay', 'Times …', 'Filter'];
    for (const screen of ['overview', 'jobs&kind=mail.send', 'schedules', 'limits', `job&id=${publicId}`]) {
      const { page } = await stage.open(`/?screen=${screen}`);
      await page
        .getByText(screen === 'limits' ? /no limit|printer/i : /mail\.send|hourly/)
        .first()
        .waitFor();
      const names = await page.locator('button').allTextContents();
      expect(
        names.filter((name) => !/^(?:Copy |Save this view)/.test(name) && !harmless.includes(name)),
      ).toEqual([]);
    }
  });

  test('who sees a queue finds nothing of others, reads that it is so, and is offered what is its own', async () => {
    stage.grant = { can: 'operator', queues: ['mail'] };
    await stage.rowlock.enqueue(Mail, { payload: { to: 'ada' } });
    await stage.rowlock.enqueue(Report, { payload: { of: 'x' } });
    const { page, complaints } = await stage.open('/?screen=overview');
    await page.getByText('shows the queues mail alone').waitFor();
    await page.getByText('mail.send').first().waitFor();
    expect(await page.getByText('report').count()).toBe(0);
    const menus = page.getByRole('button', { name: /^Actions of/ });
    expect(await menus.evaluateAll((all) => all.map(({ ariaLabel }) => ariaLabel))).toEqual([
      'Actions of the queue mail',
      'Actions of the kind mail.send',
    ]);
    // The kind may have jobs in other queues, so it is the queue that can be paused.
    expect(await page.getByText('Pause …').count()).toBe(1);
    await page.goto(`${stage.address}/ops/rowlock/?screen=limits`);
    await page.getByText('Limits are of all queues that share them').waitFor();
    expect(await page.getByRole('button', { name: 'Set a limit …' }).count()).toBe(0);
    expect(complaints.filter((each) => !each.includes('403'))).toEqual([]);
  });

  test('a page that may not be seen says so, and is there once it may', async () => {
    const { page } = await stage.open('/');
    await page.route('**/api/session', (route) =>
      route.fulfill({ status: 403, json: { detail: 'You have no access to this dashboard.' } }),
    );
    await page.reload();
    await page.getByText('You have no access to this dashboard.').waitFor();
    await page.unroute('**/api/session');
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
}
