import { type INestApplication, Module, type ModuleMetadata } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Rowlock } from '@rowlock/core';
import { onTestFinished } from 'vitest';
import { RowlockModule, type RowlockModuleOptions } from '../src/index.js';
import { Database, type Tx } from './databases.js';

export interface Application {
  readonly app: INestApplication;
  readonly rowlock: Rowlock<Tx>;
  readonly post: (path: string) => Promise<Response>;
}

/** An application on the database, which listens. It is closed when the test has finished. */
export async function start(
  database: Database,
  { imports = [], providers = [] }: Pick<ModuleMetadata, 'imports' | 'providers'>,
  options: Partial<RowlockModuleOptions<Tx>> = {},
): Promise<Application> {
  @Module({ providers: [{ provide: Database, useValue: database }], exports: [Database] })
  class DatabaseModule {}

  const root = {
    imports: [
      { module: DatabaseModule, global: true },
      RowlockModule.forRootAsync<Tx>({
        inject: [Database],
        useFactory: ({ driver }: Database) => ({ driver: driver(), ...options }),
      }),
      ...imports,
    ],
    providers,
  };
  const app = (await Test.createTestingModule(root).compile()).createNestApplication({ logger: false });
  onTestFinished(() => app.close());
  const rowlock = app.get<Rowlock<Tx>>(Rowlock);
  await rowlock.migrate();
  await app.listen(0);
  return { app, rowlock, post: async (path) => fetch(`${await app.getUrl()}${path}`, { method: 'POST' }) };
}
