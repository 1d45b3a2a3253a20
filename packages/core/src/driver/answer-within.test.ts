import { expect, test } from 'vitest';
import { answerWithin } from './answer-within.js';

test('an answer is waited for as long as a timer can be, and not for a moment, where more is allowed', async () => {
  const month = 30 * 86_400_000;
  const answer = new Promise<string>((resolve) => {
    // Behind any timer that is over at once.
    setTimeout(() => setImmediate(() => resolve('here')), 20);
  });
  await expect(answerWithin(month, answer)).resolves.toBe('here');
});
