import { DriverError } from '@rowlock/core';
import { SHOWN } from '../connection/session-settings.js';
import type { ServerValues } from './server-values.js';

/** The least `max_allowed_packet`, in bytes. Statements are shorter. */
const LEAST_PACKET = 4 * 1024 * 1024;

/** Checks the settings of the session and the server that Rowlock needs. @throws DriverError */
export function verifySettings(value: ServerValues, schema: string): void {
  for (const [name, shown] of SHOWN) {
    const found = value.get(name);
    if (found === undefined || found === shown) continue;
    throw new DriverError(
      'EngineUnsuitable',
      `Sessions must have ${name} = ${shown}, and this one has ${found}, although the driver has set it. Does a proxy reset the session?`,
    );
  }
  // A lock wait in a handler's `tx` would end the claim, and the next statement would be committed by itself.
  if (value.get('innodb_rollback_on_timeout') === 'ON') {
    throw new DriverError(
      'EngineUnsuitable',
      'The server must run with innodb_rollback_on_timeout = OFF, its default.',
    );
  }
  if (value.get('log_bin') === 'ON' && value.get('binlog_format') === 'STATEMENT') {
    throw new DriverError(
      'EngineUnsuitable',
      'READ COMMITTED needs binlog_format ROW or MIXED, and this server has STATEMENT.',
    );
  }
  if (Number(value.get('max_allowed_packet')) < LEAST_PACKET) {
    throw new DriverError(
      'EngineUnsuitable',
      'The server must run with a max_allowed_packet of 4 MB or more.',
    );
  }
  // The server accepts each spelling of the database. The names of the workers' locks contain it, so all must use the same.
  if (Number(value.get('lower_case_table_names') ?? 0) !== 0 && schema !== schema.toLowerCase()) {
    throw new DriverError(
      'InvalidInput',
      `This server's lower_case_table_names is not 0: name the database '${schema.toLowerCase()}', not '${schema}'.`,
    );
  }
}
