import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** The most verbs of the seam, and of one contract. Those of a claim's session, of an anchor and of a pool are apart. */
const MOST_VERBS = 62;
const MOST_OF_ONE = 15;

const folder = fileURLToPath(new URL('../../packages/core/src/driver/', import.meta.url));

interface Interface {
  readonly parents: readonly string[];
  readonly verbs: readonly string[];
  /** The members that are no verbs, each with the name of its type. */
  readonly parts: readonly (readonly [name: string, type: string])[];
}

/** By the formatter's layout: an interface ends at a brace in the first column, and its members stand at the third. */
const interfaces = new Map(
  globSync('*.ts', { cwd: folder })
    .flatMap((file) => [
      ...readFileSync(join(folder, file), 'utf8').matchAll(
        /^export interface (\w+)(?:<[^{]*?>)?(?: extends ([^{]+))? \{\n(.*?)^\}/gms,
      ),
    ])
    .map(([, name = '', parents = '', body = '']): [string, Interface] => [
      name,
      {
        parents: [...parents.matchAll(/\w+/g)].map(([parent]) => parent),
        verbs: [...body.matchAll(/^ {2}(\w+)\??[(<]/gm)].map(([, verb = '']) => verb),
        parts: [...body.matchAll(/^ {2}readonly (\w+)\??: (\w+)/gm)].map(
          ([, part = '', type = '']) => [part, type] as const,
        ),
      },
    ]),
);

function verbsOf(name: string): readonly string[] {
  const { parents = [], verbs = [] } = interfaces.get(name) ?? {};
  return [...new Set([...parents.flatMap(verbsOf), ...verbs])];
}

const contracts = (interfaces.get('Driver')?.parts ?? [])
  .filter(([part]) => part !== 'pool')
  .map(([part, type]) => ({ part, verbs: verbsOf(type) }))
  .filter(({ verbs }) => verbs.length > 0);

test('the seam has 8 to 12 contracts, and few verbs in each', () => {
  expect(contracts.length).toBeGreaterThanOrEqual(8);
  expect(contracts.length).toBeLessThanOrEqual(12);
  expect(contracts.filter(({ verbs }) => verbs.length > MOST_OF_ONE)).toEqual([]);
});

test('the seam has few verbs in all', () => {
  const all = [
    ...contracts.flatMap(({ part, verbs }) => verbs.map((verb) => `${part}.${verb}`)),
    ...verbsOf('Driver'),
  ];
  expect(all.length, all.join(', ')).toBeLessThanOrEqual(MOST_VERBS);
});

test('what joins a transaction is a part of a contract', () => {
  const joined = interfaces.get('Joined')?.parts ?? [];
  expect(joined.length).toBeGreaterThan(0);
  for (const [part, type] of joined)
    expect(contracts.find((contract) => contract.part === part)?.verbs).toEqual(
      expect.arrayContaining([...verbsOf(type)]),
    );
});
