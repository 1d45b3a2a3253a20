import type { JobError, Json } from '@rowlock/core';

/**
 * The error of a row. One that was written by hand may be any JSON, while pages and commands read a code and a message. The
 * message is then the JSON itself.
 */
export function storedError(json: Json): JobError | null {
  if (json === null || isJobError(json)) return json;
  return { code: 'Error', message: JSON.stringify(json) };
}

function isJobError(json: Json): json is Json & JobError {
  const { code, message, stack = '' } = Object(json);
  return [code, message, stack].every((each) => typeof each === 'string');
}
