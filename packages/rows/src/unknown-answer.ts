import { DriverError } from '@rowlock/core';

/** The error for an update whose answer cannot be read. @param form How the answer must be */
export function unknownAnswer(form: string): DriverError {
  return new DriverError(
    'InvalidInput',
    `The answer has a form that is not known here: ${form}. The update may have been made.`,
  );
}
