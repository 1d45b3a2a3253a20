import { Socket } from 'node:net';

/** What is told of a socket, in the order in which it happens. */
export interface Recorder {
  /** Handed to the network in one piece. */
  sent(piece: Buffer): void;
  received?(piece: Buffer): void;
}

type Done = (error?: Error | null) => void;

/** A socket that can be listened to. */
export class RecordedSocket extends Socket {
  readonly #recorder: Recorder;

  constructor(recorder: Recorder) {
    super();
    this.#recorder = recorder;
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: Done): void {
    this.#recorder.sent(Buffer.from(chunk));
    super._write(chunk, encoding, done);
  }

  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: Done): void {
    this.#recorder.sent(Buffer.concat(chunks.map(({ chunk }) => chunk)));
    super._writev?.(chunks, done);
  }

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (Buffer.isBuffer(chunk)) this.#recorder.received?.(chunk);
    return super.push(chunk, encoding);
  }
}
