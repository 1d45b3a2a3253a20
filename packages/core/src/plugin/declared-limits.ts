import { InvalidInputError } from '../errors.js';
import type { DeclaredSizes } from '../handler/job-limits.js';
import { checkName, checkWhole } from '../input.js';
import { type Limits, MOST_SLOTS } from '../job/limits.js';

/** @throws InvalidInputError */
export function checkLimits(plugin: string, limits: unknown): asserts limits is Limits {
  const of = `of the plugin ${JSON.stringify(plugin)}`;
  if (typeof limits !== 'object' || limits === null || Array.isArray(limits))
    throw new InvalidInputError(`limits ${of} must be an object, { name: size }.`);
  for (const [name, size] of Object.entries(limits)) {
    checkName(`The name of a limit ${of}`, name);
    checkWhole(`The size of the limit ${JSON.stringify(name)} ${of}`, size, 1, MOST_SLOTS);
  }
}

/**
 * The sizes of the limits that these plugins declare.
 *
 * @throws InvalidInputError when two declare one name with different sizes.
 */
export function declaredSizes(
  plugins: readonly { readonly name: string; readonly limits?: Limits }[],
): DeclaredSizes {
  const all = new Map<string, { readonly size: number; readonly plugin: string }>();
  for (const { name: plugin, limits = {} } of plugins) {
    for (const [name, size] of Object.entries(limits)) {
      const other = all.get(name);
      if (other !== undefined && other.size !== size)
        throw new InvalidInputError(
          `The plugins ${JSON.stringify(other.plugin)} and ${JSON.stringify(plugin)} declare the limit ${JSON.stringify(name)} with the sizes ${other.size} and ${size}. Agree on one.`,
        );
      all.set(name, { size, plugin });
    }
  }
  return new Map([...all].map(([name, { size }]) => [name, size]));
}
