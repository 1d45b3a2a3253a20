import { expect, test } from 'vitest';
import { readRefusal, redact } from '../src/refusal.js';

test.each([
  ['Bearer abc.def', 'Bearer [token]'],
  ['token ya29.a0Af_x-y.z is bad', 'token [token] is bad'],
  ['assertion=eyJhbGciOi.eyJpc3Mi.c2ln&x', 'assertion=[token]&x'],
  ['key -----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY----- end', 'key [key] end'],
  ['nothing to hide', 'nothing to hide'],
])('%j is shown as %j', (text, shown) => {
  expect(redact(text)).toBe(shown);
});

test('a page for an answer becomes its status, and a long answer is cut', () => {
  const page = Object.assign(new Error('<!DOCTYPE html><title>502'), { response: { status: 502 } });
  expect(readRefusal(page)).toMatchObject({ kind: 'unclear', cause: { message: 'HTTP 502' } });
  expect(readRefusal(new Error('x'.repeat(900))).cause.message).toHaveLength(501);
});

test('Drive says in its list what it means, also where it says no more than "Bad Request" above', () => {
  const errors = [{ domain: 'global', reason: 'invalidSharingRequest', message: 'User message: "Sorry, …"' }];
  const data = { error: { code: 400, message: 'Bad Request', errors } };
  const { cause } = readRefusal(Object.assign(new Error('Bad Request'), { response: { status: 400, data } }));
  expect(cause.message).toBe('User message: "Sorry, …"');
  expect(cause.reasons).toEqual(['invalidSharingRequest']);
});

test.each([
  [408, 'unclear'],
  [409, 'unclear'],
  [429, 'refused'],
  [500, 'unclear'],
  [501, 'unclear'],
  [503, 'unclear'],
  [507, 'unclear'],
  [520, 'unclear'],
  [400, 'final'],
  [404, 'final'],
  [412, 'final'],
])('%i is %s', (status, kind) => {
  expect(readRefusal(Object.assign(new Error('no'), { response: { status } })).kind).toBe(kind);
});

test('what was thrown before a request was made is final', () => {
  const refusal = readRefusal(new Error('Could not load the default credentials.'));
  expect(refusal).toMatchObject({ kind: 'final', status: undefined });
});
