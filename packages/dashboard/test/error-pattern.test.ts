import { expect, test } from 'vitest';
import { commonText, errorPattern } from '../src/error-pattern.js';

test.each([
  ['Order 4711 is gone', 'Order 9 is gone'],
  ['connect ECONNREFUSED 10.0.0.7:5432', 'connect ECONNREFUSED 127.0.0.1:15432'],
  ['no route to "ada"', 'no route to "bob and eve"'],
  ["no route to 'ada'", "no route to ''"],
  ['GET https://a.example/x?y=1 answered 503', 'GET http://b.example/ answered 502'],
  ['job 01890a5d-ac96-774b-bcce-b302099a8057 failed', 'job 0199ffff-ac96-774b-bcce-b302099a8057 failed'],
  ['object 0x7f00ab and deadbeef12', 'object 0x1 and 99'],
  ['refused for ada@example.org', 'refused for bob.b+x@mail.example.com'],
  ['took 1,200.5 ms at 2026-11-27T10:00:00Z', 'took -3 ms at 2025-01-01T00:00:00Z'],
])('%j and %j are one failure', (one, other) => {
  expect(errorPattern(one)).toBe(errorPattern(other));
});

test.each([
  ['Order 1 is gone', 'Order 1 is late'],
  ["it doesn't work, and wasn't tried", "it doesn't help, and wasn't tried"],
  ['no such table', 'no such column'],
])('%j and %j are two', (one, other) => {
  expect(errorPattern(one)).not.toBe(errorPattern(other));
});

test('the longest text that all have finds them', () => {
  expect(commonText(errorPattern('Order 4711 was refused by "bank": 17'))).toBe('was refused by');
  expect(commonText(errorPattern('12 of 17'))).toBe('');
});
