import { expect, onTestFinished, test, vi } from 'vitest';
import { GoogleUnavailableError } from '../src/index.js';
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

function refused(status: number, data: unknown, headers: Record<string, string> = {}): Error {
  return Object.assign(new Error('no'), { response: { status, data, headers: new Headers(headers) } });
}

test.each([
  [408, 'unclear'],
  [409, 'unclear'],
  [423, 'unclear'],
  [425, 'unclear'],
  [499, 'unclear'],
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
  expect(readRefusal(refused(status, { error: { code: status } })).kind).toBe(kind);
});

test.each([
  [400, '<html>a proxy</html>', 'unclear'],
  [403, '', 'unclear'],
  [404, undefined, 'unclear'],
  [407, {}, 'unclear'],
  [413, '<html>a front end of Google</html>', 'final'],
  [429, '<html>a front end of Google</html>', 'refused'],
])('%i with %j, which the API does not say, is %s', (status, data, kind) => {
  expect(readRefusal(refused(status, data)).kind).toBe(kind);
});

test.each([
  ['120', 120_000],
  [' 120 ', 120_000],
  ['0', 0],
  ['-1', 0],
  ['soon', 0],
  ['Wed, 25 Nov 2026 12:01:30 GMT', 90_000],
  ['Wed, 25 Nov 2026 11:00:00 GMT', 0],
])('Retry-After: %j is a pause of %i ms', (value, ms) => {
  vi.useFakeTimers({ now: new Date('2026-11-25T12:00:00Z') });
  onTestFinished(() => void vi.useRealTimers());
  expect(readRefusal(refused(503, {}, { 'retry-after': value })).retryAfterMs).toBe(ms);
});

test.each(['1e12', '9'.repeat(20), '9'.repeat(400)])(
  'a pause of %s seconds is one of at most an hour',
  (value) => {
    const { retryAfterMs } = readRefusal(refused(429, {}, { 'retry-after': value }));
    expect(new GoogleUnavailableError('Not now.', retryAfterMs).retryAfterMs).toBeLessThanOrEqual(3_600_000);
  },
);

test.each([
  ['temporarily_unavailable', 'unclear'],
  ['internal_failure', 'unclear'],
  ['rate_limit_exceeded', 'unclear'],
  ['invalid_grant', 'final'],
  ['unauthorized_client', 'final'],
])('%s of the token endpoint is %s', (error, kind) => {
  expect(readRefusal(refused(400, { error, error_description: 'no' })).kind).toBe(kind);
});

test('what was thrown before a request was made is final', () => {
  const refusal = readRefusal(new Error('Could not load the default credentials.'));
  expect(refusal).toMatchObject({ kind: 'final', status: undefined });
});

test.each([
  [403, { errors: [{ reason: 'backendError' }] }, 'unclear'],
  [403, { errors: [{ reason: 'internalError' }] }, 'unclear'],
  [400, { status: 'ABORTED' }, 'unclear'],
  [403, { errors: [{ reason: 'dailyLimitExceeded' }] }, 'refused'],
  [403, { status: 'RESOURCE_EXHAUSTED' }, 'refused'],
  [403, { status: 'PERMISSION_DENIED', details: [{ reason: 'RATE_LIMIT_EXCEEDED' }] }, 'refused'],
  [403, { errors: [{ reason: 'storageQuotaExceeded' }] }, 'final'],
  [403, { errors: [{ reason: 'forbidden' }] }, 'final'],
])('%i with %j is %s', (status, error, kind) => {
  expect(readRefusal(refused(status, { error: { code: status, ...error } })).kind).toBe(kind);
});
