import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { runChild } from '../../scripts/run-child.mjs';

test('an echo is dropped, and does not make an echo of the signal after it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowlock-run-child-'));
  const program = `
    const { writeFileSync } = require('node:fs');
    let heard = 0;
    process.on('SIGHUP', () => {
      heard += 1;
      if (heard === 2) process.exit(7);
      writeFileSync('first', '');
    });
    setTimeout(() => process.exit(1), 10_000);
    writeFileSync('ready', '');`;
  const heard = async (name) => {
    while (!existsSync(join(folder, name))) await sleep(20);
  };
  const clock = vi.spyOn(Date, 'now');
  const signalAt = (ms) => {
    clock.mockReturnValue(1_000_000 + ms);
    process.emit('SIGHUP', 'SIGHUP');
  };

  const ended = runChild(process.execPath, ['-e', program], { cwd: folder });
  await heard('ready');
  signalAt(0);
  await heard('first');
  signalAt(700);
  signalAt(1_400);
  expect(await ended).toMatchObject({ code: 7, signalled: true });
  clock.mockRestore();
  rmSync(folder, { recursive: true });
});
