import { Readable } from 'node:stream';
import { InvalidInputError } from '@rowlock/core';

/** The error for a cursor, or a stream of rows. */
export function streamRefused(): InvalidInputError {
  return new InvalidInputError("A handler's tx has no cursors and no streams: read the rows page by page.");
}

/** A stream that fails so, for a library that waits for the end of a stream. */
export function refusedStream(): Readable {
  const stream = new Readable({ read() {} });
  // Without a listener the event would end the process.
  stream.on('error', () => {});
  return stream.destroy(streamRefused());
}
