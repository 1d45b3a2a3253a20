import type { Exchange } from './exchange.js';
import { applyFieldMask, InvalidFieldMask, parseFieldMask, type Shape } from './field-mask.js';
import { type GoogleError, invalidArgument } from './google-error.js';
import type { JsonObject } from './json.js';

/**
 * The answer of a Sheets call cut to what `fields` names; all of it when nothing is named.
 * @throws GoogleError 400 for a mask that names what the answer cannot have
 */
export function selectFields(answer: JsonObject, { query }: Exchange, shape: Shape): unknown {
  try {
    return applyFieldMask(answer, parseFieldMask(query.get('fields') ?? '*', shape));
  } catch (error) {
    if (!(error instanceof InvalidFieldMask)) throw error;
    throw invalidFields(error.field);
  }
}

function invalidFields(field: string): GoogleError {
  const description = `Error expanding 'fields' parameter. Cannot find matching fields for path '${field}'.`;
  return invalidArgument('Request contains an invalid argument.', {
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ field, description }],
      },
    ],
  });
}
