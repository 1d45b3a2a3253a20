import { expect, test } from 'vitest';
import { systemClock } from './clock.js';

test('a time that has passed is now, and no reason for a warning', async () => {
  const warnings: string[] = [];
  const onWarning = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', onWarning);
  let keepAlive: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve) => {
    keepAlive = setInterval(() => {}, 1_000);
    systemClock.after(-0.0005, resolve);
  });
  clearInterval(keepAlive);
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
});
