import { expect, test } from 'vitest';
import { conformanceTests } from '../src/index.js';

test('the parts of the suite are the whole suite, and each test is in one of them', () => {
  const parts = [1, 2, 3].map((number) => conformanceTests({ number, of: 3 }));
  expect(parts.flat().toSorted()).toEqual(conformanceTests().toSorted());
  for (const part of parts) expect(part.length).toBeGreaterThan(0);
});

test('the proofs and the parts without them are the whole suite too', () => {
  const parts = [1, 2, 3].map((number) => conformanceTests({ number, of: 3, proofs: 'none' }));
  const proofs = conformanceTests({ number: 1, of: 1, proofs: 'alone' });
  expect([...parts.flat(), ...proofs].toSorted()).toEqual(conformanceTests().toSorted());
  const others = proofs.map((name) => name.split(' > ')[0]).filter((theme) => !theme?.endsWith(', leased'));
  expect([...new Set(others)]).toEqual(['large bursts']);
});
