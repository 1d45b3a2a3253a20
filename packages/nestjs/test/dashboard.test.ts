import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  type INestApplication,
  Injectable,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { Rowlock } from '@rowlock/core';
import type { Grant } from '@rowlock/dashboard';
import { memory } from '@rowlock/driver-memory';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { DashboardController, FastifyDashboardController } from '../src/dashboard.js';
import { RowlockModule } from '../src/index.js';

interface Asked {
  readonly headers: { readonly [name: string]: string | undefined };
  user?: string;
}

@Injectable()
class Names {
  readonly guests: readonly string[] = ['ann', 'bob', 'guest'];
}

@Injectable()
class SignedIn implements CanActivate {
  constructor(private readonly names: Names) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Asked>();
    const { 'x-user': user = '' } = request.headers;
    request.user = user;
    return this.names.guests.includes(user);
  }
}

const grantOf = ({ user = '' }: Asked): Grant => {
  if (user === 'guest') throw new UnauthorizedException('Sign in again.');
  return user === 'ann'
    ? { can: 'operator', name: user }
    : { can: 'read-only', name: user, queues: ['bills'] };
};

@Controller('rowlock')
@UseGuards(SignedIn)
class JobsController extends DashboardController<Asked> {
  access = grantOf;
}

@Controller('rowlock')
@UseGuards(SignedIn)
class FastifyJobsController extends FastifyDashboardController<Asked> {
  access = grantOf;
}

const Report = { kind: 'report', payload: z.object({}) };

async function boot(app: INestApplication) {
  onTestFinished(() => app.close());
  const rowlock = app.get(Rowlock);
  await rowlock.migrate();
  await app.listen(0);
  const url = await app.getUrl();
  const get = (path: string, user: string, init: RequestInit = {}) =>
    fetch(`${url}/${path}`, {
      ...init,
      headers: { 'x-user': user, 'content-type': 'application/json', accept: 'application/json' },
      redirect: 'manual',
    });
  return { rowlock, get };
}

const ADAPTERS = [
  { name: 'Express', adapter: () => new ExpressAdapter(), controller: JobsController },
  { name: 'Fastify', adapter: () => new FastifyAdapter(), controller: FastifyJobsController },
];

async function create({ adapter, controller }: (typeof ADAPTERS)[number]): Promise<INestApplication> {
  const module = await Test.createTestingModule({
    imports: [RowlockModule.forRoot({ driver: memory(), worker: false })],
    controllers: [controller],
    providers: [Names],
  }).compile();
  return module.createNestApplication(adapter(), { logger: false });
}

test.each(ADAPTERS)('on $name the dashboard is behind the guards of its controller', async (on) => {
  const app = await create(on);
  const { rowlock, get } = await boot(app);
  expect((await get('rowlock/', 'eve')).status).toBe(403);
  expect((await get('rowlock/api/overview', 'eve')).status).toBe(403);

  const redirect = await get('rowlock', 'bob');
  expect([redirect.status, redirect.headers.get('location')]).toEqual([308, 'rowlock/']);
  const page = await (await get('rowlock/', 'bob')).text();
  const [, file] = /src="\.\/(assets\/[^"]+)"/.exec(page) ?? [];
  expect((await (await get(`rowlock/${file}`, 'bob')).text()).length).toBeGreaterThan(10_000);

  const { publicId: id } = await rowlock.enqueue(Report, { payload: {} });
  const cancel = (user: string) =>
    get('rowlock/api/job/cancel', user, { method: 'POST', body: JSON.stringify({ id }) });
  expect((await cancel('bob')).status).toBe(403);
  const listed = async (user: string) =>
    Object(await (await get('rowlock/api/jobs', user)).json()).jobs.length;
  expect([await listed('bob'), await listed('ann')]).toEqual([0, 1]);
  expect(await (await cancel('ann')).json()).toEqual({ outcome: 'cancelled' });
  expect((await get('rowlock/api/none', 'ann')).status).toBe(404);
});

test.each(ADAPTERS)(
  "on $name an exception of Nest that `access` throws is answered as Nest's own",
  async (on) => {
    const { get } = await boot(await create(on));
    const response = await get('rowlock/api/overview', 'guest');
    expect([response.status, await response.json()]).toEqual([
      401,
      { statusCode: 401, message: 'Sign in again.', error: 'Unauthorized' },
    ]);
  },
);

test.each(ADAPTERS)("on $name the dashboard follows the application's prefix", async (on) => {
  const app = await create(on);
  app.setGlobalPrefix('internal/v2');
  const { get } = await boot(app);
  expect((await get('internal/v2/rowlock/', 'bob')).status).toBe(200);
  expect((await get('internal/v2/rowlock/api/session', 'bob')).status).toBe(200);
  expect((await get('rowlock/', 'bob')).status).toBe(404);
});
