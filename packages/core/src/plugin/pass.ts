import { unawaited } from '../thenable.js';

/** How a middleware ended, and how the step did that it is around. */
export interface Pass<Result> {
  readonly own: PromiseSettledResult<unknown>;
  /** Undefined if `next` was not called, and so the step not taken. */
  readonly step: PromiseSettledResult<Result> | undefined;
  readonly isTwice: boolean;
}

/**
 * Calls a middleware around a step. The step is taken at once when `next` is called, in the caller's context, and at
 * most once. A further call of `next`, and one after the middleware's end, rejects with `refusal`. Resolves when both
 * the middleware and the step have ended: a middleware need not await `next`.
 */
export async function pass<Result>(
  middleware: (next: () => Promise<Result>) => unknown,
  step: () => Result | Promise<Result>,
  refusal: () => Error,
): Promise<Pass<Result>> {
  let taken: Promise<Result> | undefined;
  let isTwice = false;
  let isOver = false;
  const next = (): Promise<Result> => {
    isTwice ||= taken !== undefined;
    if (isTwice || isOver) return unawaited(Promise.reject(refusal()));
    taken = unawaited(new Promise<Result>((resolve) => resolve(step())));
    return taken;
  };
  const own = await settled(new Promise((resolve) => resolve(middleware(next))));
  isOver = true;
  return { own, step: taken && (await settled(taken)), isTwice };
}

async function settled<Result>(promise: Promise<Result>): Promise<PromiseSettledResult<Result>> {
  const [end] = await Promise.allSettled([promise]);
  return end;
}
