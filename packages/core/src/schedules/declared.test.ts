import { expect, test } from 'vitest';
import { despiteChanges } from './declared.js';

test('a change that others overtake many times is made once they let it', async () => {
  let overtaken = 30;
  expect(await despiteChanges(async () => (overtaken-- === 0 ? 'made' : undefined))).toBe('made');
});

test('a change whose row is another one at each try ends with an error that may be repeated', async () => {
  let tries = 0;
  await expect(
    despiteChanges(async () => {
      tries++;
      return undefined;
    }),
  ).rejects.toMatchObject({ code: 'SerializationFailure' });
  expect(tries).toBe(100);
});
