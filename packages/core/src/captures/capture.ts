import type { CapturePlan } from '../driver/capture-store.js';
import type { CaptureOptions } from './capture-options.js';
import { capturePlan } from './capture-plan.js';

/** Changes of a table that become jobs. Made by `defineCapture`. */
export interface Capture<
  Name extends string = string,
  Id extends string = string,
  Column extends string = string,
> {
  readonly name: Name;
  readonly plan: CapturePlan;
  readonly options: Pick<CaptureOptions<Name, Id, Column>, 'limit'>;
  /** For the compiler alone, and never there. */
  readonly types?: { readonly id: Id; readonly column: Column };
}

/**
 * Defines a capture: each change of a table becomes a job, in the transaction of the change, whoever makes it. Pass it to
 * `createRowlock({ captures: [orders] })`, and make its triggers with `rowlock.captures.apply()`.
 *
 * @throws InvalidInputError when an option is of the wrong form.
 * @example
 * const orders = defineCapture({ name: 'orders', table: 'shop.orders', id: ['id'], kind: 'order.changed' });
 * const Index = defineHandler({
 *   ...capturedJob(orders), group: true,
 *   run: ({ key, tx }) => index(tx, key),
 * });
 */
export function defineCapture<
  const Name extends string,
  const Id extends string,
  const Column extends string = never,
>(options: CaptureOptions<Name, Id, Column>): Capture<Name, Id, Column> {
  const plan = capturePlan(options);
  const { name, limit } = options;
  return { name, plan, options: limit === undefined ? {} : { limit } };
}
