import { expect, test } from 'vitest';
import { NamedStatements } from '../src/connection/named-statements.js';
import { statements } from '../src/statements.js';

test('no statement has the name of another: not of one in another schema, nor of another version', () => {
  const [here, there, newer] = ['here', 'there', 'here'].map(statements).map((sql, index) => {
    const claim = index === 2 ? `${sql.claims.claim} -- newer` : sql.claims.claim;
    return new NamedStatements({ ...sql, claims: { ...sql.claims, claim } }, true).nameOf(claim, 1);
  });
  expect(here).toMatch(/^rowlock\.claim\b/);
  expect(new Set([here, there, newer]).size).toBe(3);
});
