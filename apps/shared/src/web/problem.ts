import { STATUS_CODES } from 'node:http';

/** An answer that is not what was asked for: problem details as in RFC 9457. */
export class Problem extends Error {
  override readonly name = 'Problem';

  constructor(
    readonly status: number,
    readonly detail: string,
    readonly more: ProblemDetails = {},
  ) {
    super(detail, { cause: more.cause });
  }

  toJSON(): object {
    const { status, detail } = this;
    const { errors } = this.more;
    return {
      type: 'about:blank',
      title: STATUS_CODES[status] ?? 'Problem',
      status,
      detail,
      ...(errors && { errors }),
    };
  }
}

export interface ProblemDetails {
  /** What is wrong where in the body. */
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

export interface FieldError {
  /** Names and positions that lead to the value, joined by dots. */
  readonly at: string;
  readonly message: string;
}
