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
