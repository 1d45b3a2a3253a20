import { isDeepStrictEqual } from 'node:util';
import { InvalidInputError } from '../errors.js';
import { checkLimit, type NamedLimit } from '../job/limits-text.js';
import { type DeclaredLimits, type LimitOptions, namedLimit } from './limit.js';

/** Limits by name, as a plugin declares them. */
export type PluginLimits = Readonly<Record<string, LimitOptions>>;

interface LimitingPlugin {
  readonly name: string;
  readonly limits?: PluginLimits;
}

/** @throws InvalidInputError */
export function limitsOfPlugin({ name: plugin, limits = {} }: LimitingPlugin): readonly NamedLimit[] {
  const of = ` of the plugin ${JSON.stringify(plugin)}`;
  if (typeof limits !== 'object' || limits === null || Array.isArray(limits))
    throw new InvalidInputError(`limits${of} must be an object, { name: { max } }.`);
  return Object.entries(limits).map(([name, options]) => {
    const limit = namedLimit(name, options, of);
    checkLimit(limit);
    return limit;
  });
}

/**
 * The limits that these plugins declare.
 *
 * @throws InvalidInputError when two declare one name with different numbers.
 */
export function declaredLimits(plugins: readonly LimitingPlugin[]): DeclaredLimits {
  const all = new Map<string, NamedLimit & { readonly plugin: string }>();
  for (const plugin of plugins)
    for (const limit of limitsOfPlugin(plugin)) {
      const own = { ...limit, plugin: plugin.name };
      const { plugin: first, ...other } = all.get(limit.name) ?? own;
      if (!isDeepStrictEqual(other, limit))
        throw new InvalidInputError(
          `The plugins ${JSON.stringify(first)} and ${JSON.stringify(plugin.name)} declare the limit ${JSON.stringify(limit.name)} with different numbers. Agree on them.`,
        );
      all.set(limit.name, own);
    }
  return new Map([...all].map(([name, { plugin, ...limit }]) => [name, limit]));
}
