import { expect, test } from 'vitest';
import { conformanceTests } from '../src/index.js';

test('the parts of the suite are the whole suite, and each test is in one of them', () => {
  const parts = [1, 2, 3].map((number) => conformanceTests({ number, of: 3 }));
  expect(parts.flat().toSorted()).toEqual(conformanceTests().toSorted());
  for (const part of parts) expect(part.length).toBeGreaterThan(0);
});
