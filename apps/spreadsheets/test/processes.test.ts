import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { POSTGRES } from '@rowlock/app-shared/testing';
import { expect, onTestFinished, test } from 'vitest';

test.each(['web.js', 'worker.js'])(
  '%s whose parent lets go of it while it is loaded ends in good order',
  async (entry) => {
    const child = fork(fileURLToPath(new URL(`../dist/${entry}`, import.meta.url)), {
      env: {
        ...process.env,
        DATABASE_URL: POSTGRES.nowhere,
        PORT: '0',
        DEMO_SIGN_IN: '1',
        GOOGLE_ROOT_URL: 'http://127.0.0.1:1/',
      },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    child.disconnect();
    expect(await endOf(child)).toEqual({ code: 0, signal: null, errors: '' });
  },
);

test('a process that stops ends also when nobody reads its log any more', async () => {
  const program = `
    import { createLog } from '@rowlock/app-shared';
    process.stdin.once('data', () => {
      const log = createLog('test', 'info');
      for (const line of ['stopping', 'stopped']) log.info(line);
      process.exit(0);
    });`;
  // The folder of the process is where Node looks for the program's imports.
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { cwd });
  child.stdout.destroy();
  child.stdin.write('go');
  expect(await endOf(child)).toEqual({ code: 0, signal: null, errors: '' });
});

/** How a process ended and what it wrote to its stderr; a process that never ends is the test's own timeout. */
async function endOf(child: ChildProcess): Promise<{ code: unknown; signal: unknown; errors: string }> {
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  // Not 'close': a forked process that was disconnected before its end never emits it.
  const [[code, signal], errors] = await Promise.all([
    once(child, 'exit'),
    child.stderr === null ? '' : text(child.stderr),
  ]);
  return { code, signal, errors };
}
