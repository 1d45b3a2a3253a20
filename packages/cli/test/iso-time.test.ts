import { expect, test } from 'vitest';
import { isoTime } from '../src/iso-time.js';

test.each([
  ['2026-11-26', '2026-11-26T00:00:00.000Z'],
  ['2028-02-29T09:00Z', '2028-02-29T09:00:00.000Z'],
  ['2026-11-26T09:00:00.5+01:00', '2026-11-26T08:00:00.500Z'],
  ['2026-11-26 09:00:00Z', '2026-11-26T09:00:00.000Z'],
])('%s is a time', (text, time) => {
  expect(isoTime(text)?.toISOString()).toBe(time);
});

test.each([
  '2',
  '5',
  'foo 5',
  '2026',
  '11/26/2026',
  '2027-02-30',
  '2027-13-01',
  '2027-01-00',
  '2027-01-01T25:00Z',
  '',
])('"%s" is no time', (text) => {
  expect(isoTime(text)).toBeUndefined();
});
