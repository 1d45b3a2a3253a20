import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { packAll } from './pack-all.mjs';

const run = promisify(execFile);
const require = createRequire(import.meta.url);

let project: string;
let tarballs: readonly string[];

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'rowlock-nest-'));
  const packed = await packAll(project);
  const needed = /rowlock-(core|sql-drivers|driver-postgres|nestjs)-\d/;
  tarballs = packed.filter((path) => needed.test(basename(path)));
}, 240_000);

afterAll(() => rm(project, { recursive: true, force: true }));

/** A worker whose services are found by the types of constructors, as compilers write them down. */
const APPLICATION = `
import 'reflect-metadata';
import { createInterface } from 'node:readline';
import { Injectable, Module, OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Rowlock } from '@rowlock/core';
import { postgres, PostgresTransaction } from '@rowlock/driver-postgres';
import { JobHandler, RowlockModule, RunOf } from '@rowlock/nestjs';
import { z } from 'zod';

const Work = { kind: 'work', payload: z.object({ of: z.string() }) };

@Injectable()
class Connection implements OnModuleDestroy {
  onModuleDestroy() {
    console.log('disconnected');
  }
}

@Injectable()
class Migrations implements OnModuleInit {
  constructor(private readonly rowlock: Rowlock) {}

  async onModuleInit() {
    await this.rowlock.migrate();
  }
}

@JobHandler(Work)
class Worker {
  constructor(private readonly connection: Connection, private readonly rowlock: Rowlock<PostgresTransaction>) {}

  async run({ job, tx }: RunOf<typeof Work, PostgresTransaction>) {
    if (!(this.connection instanceof Connection) || !(this.rowlock instanceof Rowlock)) throw new Error('not injected');
    const { rows } = await tx.query('SELECT length($1) AS length', [job.payload.of]);
    console.log('running');
    await new Promise((resolve) => createInterface(process.stdin).once('line', resolve));
    console.log('has run');
    return rows[0].length;
  }
}

@Module({
  imports: [RowlockModule.forRoot({ driver: postgres({ connectionString: process.env.DATABASE_URL }) })],
  providers: [Worker, Connection, Migrations],
})
class AppModule {}

async function main() {
  const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
  app.enableShutdownHooks();
  await app.get(Rowlock).enqueue(Work, { payload: { of: 'rowlock' } });
}
main();
`;

const TEST = `
require('reflect-metadata');
const { Test } = require('@nestjs/testing');
const { Rowlock } = require('@rowlock/core');
const { postgres } = require('@rowlock/driver-postgres');
const { JobHandler, RowlockModule } = require('@rowlock/nestjs');
const { z } = require('zod');

const Greet = { kind: 'greet', payload: z.object({ name: z.string() }) };
class Greeter {
  run({ job }) {
    return 'Hello ' + job.payload.name;
  }
}
JobHandler(Greet)(Greeter);

test('greets', async () => {
  const driver = postgres({ connectionString: process.env.DATABASE_URL });
  const module = await Test.createTestingModule({ imports: [RowlockModule.forRoot({ driver })], providers: [Greeter] }).compile();
  const rowlock = module.get(Rowlock);
  await rowlock.migrate();
  await module.init();
  const { publicId } = await rowlock.enqueue(Greet, { payload: { name: 'Ada' } });
  expect(await rowlock.settled(publicId)).toMatchObject({ output: 'Hello Ada' });
  await module.close();
}, 60000);
`;

const COMPILERS = {
  async tsc(folder: string) {
    const tsc = require.resolve('typescript/package.json').replace(/package\.json$/, 'bin/tsc');
    const flags = [
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--types',
      'node',
      '--skipLibCheck',
    ];
    const decorators = ['--experimentalDecorators', '--emitDecoratorMetadata'];
    await run(process.execPath, [tsc, ...flags, ...decorators, 'application.ts'], { cwd: folder });
  },
  async swc(folder: string) {
    const program = `
      const { transformFileSync } = require('@swc/core');
      const { code } = transformFileSync('application.ts', {
        module: { type: 'commonjs' },
        jsc: { parser: { syntax: 'typescript', decorators: true }, transform: { legacyDecorator: true, decoratorMetadata: true } },
      });
      require('node:fs').writeFileSync('application.js', code);
    `;
    await run(process.execPath, ['-e', program], { cwd: folder });
  },
};

// The lowest version that is accepted, and the one that is current.
describe.each([
  { nest: '11.1.0', testing: '11.1.0' },
  { nest: '12', testing: '12' },
])('Nest $nest in CommonJS', ({ nest, testing }) => {
  let folder: string;
  beforeAll(async () => {
    folder = join(project, nest);
    await mkdir(folder);
    const manifest = {
      name: 'application',
      private: true,
      type: 'commonjs',
      jest: { testEnvironment: 'node' },
    };
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    await writeFile(join(folder, 'application.ts'), APPLICATION);
    const packages = [
      ...[`@nestjs/common@${nest}`, `@nestjs/core@${nest}`, `@nestjs/testing@${testing}`],
      ...['reflect-metadata@0.2', 'rxjs@7', 'zod@4', '@swc/core@1', '@types/node@24', ...tarballs],
    ];
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...packages], {
      cwd: folder,
    });
  }, 240_000);

  test.each(Object.entries(COMPILERS))(
    '%s compiles a worker, which drains at a SIGTERM',
    async (_, compile) => {
      await compile(folder);
      const database = await freshDatabase(inject('postgresUrl'));
      onTestFinished(() => database.drop());
      const child = spawn(process.execPath, ['application.js'], {
        cwd: folder,
        env: { ...process.env, DATABASE_URL: database.url },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const lines: string[] = [];
      for await (const line of createInterface(child.stdout)) {
        lines.push(line);
        if (line !== 'running') continue;
        child.kill('SIGTERM');
        child.stdin.end('go\n');
      }
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      expect(lines).toEqual(['running', 'has run', 'disconnected']);
      expect(child.signalCode).toBe('SIGTERM');
    },
  );

  // jest in CommonJS cannot load Nest 12, which is of ES modules alone.
  test.runIf(nest.startsWith('11'))('jest runs a job', async () => {
    const database = await freshDatabase(inject('postgresUrl'));
    onTestFinished(() => database.drop());
    await writeFile(join(folder, 'greet.test.js'), TEST);
    const env = { ...process.env, DATABASE_URL: database.url };
    await run(process.execPath, [require.resolve('jest/bin/jest'), '--ci', '--runInBand'], {
      cwd: folder,
      env,
    });
  });
});
