import { InvalidInputError } from '@rowlock/core';
import type { CapturePlan, RowId } from '@rowlock/core/driver';
import { refusedTable } from './capture-trial.js';

/** The error for a place that a backfill of another definition has left. */
export function redefined({ name }: CapturePlan): InvalidInputError {
  return new InvalidInputError(
    `The capture ${JSON.stringify(name)}: its definition, its table or its triggers have changed since this backfill began. Call backfill again, which begins anew.`,
  );
}

/** The error for a row of the last place that is behind it again: the place was read back as another one, and the backfill would not end. */
export function readAgain(plan: CapturePlan, last: RowId): InvalidInputError {
  return refusedTable(
    plan,
    `has ids which the server reads back as others, so that the backfill does not get beyond ${JSON.stringify(last)}. Name another unique key as id`,
  );
}
