import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { POSTGRES } from '@rowlock/app-parts/testing';
import { expect, test } from 'vitest';

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
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    child.disconnect();
    const hangs = setTimeout(() => child.kill('SIGKILL'), 60_000);
    const [code] = await once(child, 'exit');
    clearTimeout(hangs);
    expect([code, said]).toEqual([0, '']);
  },
);

test('a process that stops ends also when nobody reads its log any more', async () => {
  const log = new URL('../dist/log.js', import.meta.url).href;
  const program = `
    import { createLog } from ${JSON.stringify(log)};
    process.stdin.once('data', () => {
      const log = createLog('test', 'info');
      for (const line of ['stopping', 'stopped']) log.info(line);
      process.exit(0);
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdout.destroy();
  child.stdin.write('go');
  const hangs = setTimeout(() => child.kill('SIGKILL'), 20_000);
  const [code] = await once(child, 'exit');
  clearTimeout(hangs);
  expect(code).toBe(0);
});
