import { POSTGRES } from '@rowlock/app-shared/testing';
import { expect, test } from 'vitest';
import { startTestApplication } from './support/test-application.js';
import { send } from './support/user-of-api.js';

test('two applications on one machine leave each other’s sessions alone: cookies know no ports', async () => {
  const jar = new Map<string, string>();
  const cookies = (): string => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const apps = await Promise.all(
    [3000, 3001].map((port) =>
      startTestApplication({
        on: POSTGRES.nowhere,
        isDatabaseAway: true,
        env: { PUBLIC_URL: `http://localhost:${port}` },
      }),
    ),
  );
  for (const [which, app] of apps.entries()) {
    const { token } = await app.user(`User ${which}`);
    const { headers } = await send(`${app.address}/session`, 'POST', {
      json: { token },
      headers: { Cookie: cookies(), 'Sec-Fetch-Site': 'same-origin' },
    });
    const [, name = '', value = ''] = /^([^=]+)=([^;]+)/.exec(headers.get('set-cookie') ?? '') ?? [];
    jar.set(name, value);
  }
  const users = await Promise.all(
    apps.map((app) => send(`${app.address}/session`, 'GET', { headers: { Cookie: cookies() } })),
  );
  await Promise.all(apps.map((app) => app.stop()));
  expect(users.map(({ body }) => body.user?.name)).toEqual(['User 0', 'User 1']);
});
