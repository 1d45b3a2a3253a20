/** Ends the program with a sentence for people. */
export class Failure extends Error {
  override readonly name = 'Failure';

  /** @param message Empty where the output has said it already. */
  constructor(
    message: string,
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(message);
  }
}

/** The words of the call are wrong. */
export class Misuse extends Failure {
  constructor(message: string) {
    super(message, 2);
  }
}
