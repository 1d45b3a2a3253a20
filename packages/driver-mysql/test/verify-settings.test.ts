import { expect, test } from 'vitest';
import type { MysqlTransaction } from '../src/query.js';
import { verifySettings } from '../src/schema/verify-settings.js';

function server(
  lowerCaseTableNames: string,
  ...others: readonly (readonly [name: string, value: string])[]
): MysqlTransaction {
  const answer = async (): Promise<[unknown[], unknown[]]> => [
    [
      { Variable_name: 'transaction_isolation', Value: 'READ-COMMITTED' },
      { Variable_name: 'max_allowed_packet', Value: '67108864' },
      { Variable_name: 'lower_case_table_names', Value: lowerCaseTableNames },
      ...others.map(([name, value]) => ({ Variable_name: name, Value: value })),
    ],
    [],
  ];
  return { execute: answer, query: answer };
}

test.each(['1', '2'])(
  'where names have no case (%s), the database is named in lower case',
  async (setting) => {
    await expect(verifySettings(server(setting), 'Jobs')).rejects.toMatchObject({
      code: 'InvalidInput',
      message: expect.stringContaining("'jobs'"),
    });
    await expect(verifySettings(server(setting), 'jobs')).resolves.toBeUndefined();
  },
);

test('where names have a case, each is taken as it is', async () => {
  await expect(verifySettings(server('0'), 'Jobs')).resolves.toBeUndefined();
});

test.each([
  ['completion_type', 'CHAIN'],
  ['sql_safe_updates', 'ON'],
  ['character_set_client', 'latin1'],
  ['max_execution_time', '100'],
  ['max_statement_time', '0.100000'],
])('a session that does not keep %s is refused', async (name, value) => {
  await expect(verifySettings(server('0', [name, value]), 'jobs')).rejects.toMatchObject({
    message: expect.stringContaining(`and this one has ${value}`),
  });
});
