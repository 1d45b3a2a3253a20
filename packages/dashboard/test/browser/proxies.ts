import { once } from 'node:events';
import { createServer } from 'node:http';
import { addressOf } from '@rowlock/app-shared/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createDashboard } from '../../src/index.js';
import { Mail, stage } from './stage.js';

/** The page behind proxies. */
export function proxies(): void {
  test('behind a proxy that has another path in its place, an address without its slash leads to the page', async () => {
    const proxy = createServer(async ({ url = '', headers: { accept = '' } }, res) => {
      const behind = `${stage.address}${url.replace('/team/jobs', '/ops/rowlock')}`;
      const response = await fetch(behind, { headers: { accept }, redirect: 'manual' });
      const headers = new Headers(response.headers);
      headers.delete('content-encoding');
      res.writeHead(response.status, Object.fromEntries(headers)).end(await response.bytes());
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    onTestFinished(() => void proxy.close().closeAllConnections());
    await stage.rowlock.enqueue(Mail, { payload: { to: 'ada' } });
    const { page, complaints } = await stage.open(`${addressOf(proxy)}/team/jobs?screen=jobs`);
    await page.getByText('1 job, newest first', { exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/team/jobs/');
    expect(complaints).toEqual([]);
  });

  test('behind a proxy that takes off the whole path and says so, an address without its slash shows the page', async () => {
    const dashboard = createDashboard({ rowlock: stage.rowlock, access: () => 'operator' });
    const proxy = createServer(async ({ url = '', headers: { accept = '' } }, res) => {
      const behind = `http://localhost${url.replace(/^\/team\/?/, '/')}`;
      const headers = { accept, 'x-forwarded-prefix': '/team' };
      const response = await dashboard.fetch(new Request(behind, { headers }));
      res.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.bytes());
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    onTestFinished(() => void proxy.close().closeAllConnections());
    const { page, complaints } = await stage.open(`${addressOf(proxy)}/team?screen=jobs`);
    await page.getByRole('heading', { name: 'Jobs' }).waitFor();
    expect(complaints).toEqual([]);
  });
}
