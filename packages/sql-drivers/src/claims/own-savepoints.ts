import { DriverError } from '@rowlock/core';
import { firstWords } from '@rowlock/core/driver';
import { bareStatements } from './bare-statements.js';

/** The savepoints of a claim, by which a run is undone, settled and checked. */
const OWN = 'rowlock_(?:handler|fence|settlement|check)';

const QUOTED = new RegExp(`(["\`])(${OWN})\\1`, 'gi');

const USES = new RegExp(
  String.raw`^(?:savepoint|release(?:\s+savepoint)?|rollback(?:\s+(?:work|transaction))?\s+to(?:\s+savepoint)?)\s+${OWN}\b`,
  'i',
);

/**
 * Refuses a text that sets, releases or goes back to a savepoint of the claim's. One of the handler's with such a name would take its
 * place, and what the handler wrote before would stay though the run fails.
 *
 * @param pieces As of `bareStatements`.
 * @throws DriverError `InvalidInput`
 */
export function checkSavepoints(text: string, pieces: RegExp): void {
  if (!/rowlock_/i.test(text)) return;
  const found = bareStatements(text.replaceAll(QUOTED, '$2'), pieces).find((statement) =>
    USES.test(statement),
  );
  if (found === undefined) return;
  throw new DriverError(
    'InvalidInput',
    `${firstWords(found)} was not sent: by the savepoint of this name Rowlock undoes a run that fails. Give yours another name.`,
  );
}
