import { expect, test } from 'vitest';
import type { ServerValues } from '../src/schema/server-values.js';
import { verifySettings } from '../src/schema/verify-settings.js';

function server(
  lowerCaseTableNames: string,
  ...others: readonly (readonly [name: string, value: string])[]
): ServerValues {
  return new Map([
    ['transaction_isolation', 'READ-COMMITTED'],
    ['max_allowed_packet', '67108864'],
    ['lower_case_table_names', lowerCaseTableNames],
    ...others,
  ]);
}

test.each(['1', '2'])('where names have no case (%s), the database is named in lower case', (setting) => {
  expect(() => verifySettings(server(setting), 'Jobs')).toThrow(
    expect.objectContaining({ code: 'InvalidInput', message: expect.stringContaining("'jobs'") }),
  );
  verifySettings(server(setting), 'jobs');
});

test('where names have a case, each is taken as it is', () => {
  verifySettings(server('0'), 'Jobs');
});

test.each([
  ['completion_type', 'CHAIN'],
  ['sql_safe_updates', 'ON'],
  ['character_set_client', 'latin1'],
  ['max_execution_time', '100'],
  ['max_statement_time', '0.100000'],
])('a session that does not keep %s is refused', (name, value) => {
  expect(() => verifySettings(server('0', [name, value]), 'jobs')).toThrow(`and this one has ${value}`);
});
