import { expect, test } from 'vitest';
import { Mail, stage } from './stage.js';

/** What the page shows while answers are late, refused or lost. */
export function answers(): void {
  test('what was read stays, and says of when it is, while the database is away, the sign-in is lost, or the server is slow', async () => {
    await stage.rowlock.enqueue(Mail, { payload: { to: 'ada' } });
    const { page, faults, screenshot } = await stage.open('/');
    await page.clock.install();
    await page.reload();
    const kind = page.getByRole('rowheader', { name: 'mail.send' });
    await kind.waitFor();
    const alert = page.getByRole('alert').filter({ hasText: 'The page is as of' });
    const isStale = () => page.locator('main.stale').count();
    const answering = async (answer: Parameters<typeof page.route>[1]): Promise<void> => {
      await page.unroute('**/api/overview');
      await page.route('**/api/overview', answer);
      await page.clock.runFor(4_000);
    };
    await answering((route) =>
      route.fulfill({ status: 503, json: { detail: 'The database cannot do this: away' } }),
    );
    await alert.getByText(/^The database cannot do this: away\s*The page is as of \d/).waitFor();
    expect([await kind.count(), await isStale()]).toEqual([1, 1]);
    await screenshot('stale');
    expect(await faults()).toEqual([]);
    for (const lost of [
      { status: 401, json: { detail: 'You are signed out.' } },
      { status: 302, headers: { location: '/sign-in' } },
      { status: 200, contentType: 'text/html', body: '<h1>Sign in</h1>' },
    ]) {
      await answering((route) => route.abort());
      await alert.getByText('The server cannot be reached.').waitFor();
      await answering((route) => route.fulfill(lost));
      await alert.getByText('You are signed out.').waitFor();
      expect(await alert.getByRole('link').getAttribute('href')).toBe(page.url());
    }
    expect(await kind.count()).toBe(1);
    const answer = Promise.withResolvers<void>();
    await page.unroute('**/api/overview');
    await page.route('**/api/overview', async (route) => {
      await answer.promise;
      await route.continue();
    });
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.clock.runFor(2_500);
    answer.resolve();
    await alert.waitFor({ state: 'detached' });
    expect(await isStale()).toBe(0);
    const later = Promise.withResolvers<void>();
    await answering(async (route) => {
      await later.promise;
      await route.continue();
    });
    await page.clock.runFor(2_500);
    await page.getByText(/^The server takes its time, and is still asked. The page is as of \d/).waitFor();
    expect([await kind.count(), await isStale()]).toEqual([1, 0]);
    later.resolve();
    await page.getByText(/^The server takes its time/).waitFor({ state: 'detached' });
    await page.getByLabel('Live').click();
    await page.getByText(/^as of \d/).waitFor();
    await page.getByRole('button', { name: 'Look again' }).click();
    expect(await faults()).toEqual([]);
  });
}
