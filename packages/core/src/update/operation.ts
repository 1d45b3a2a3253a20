import type { Json, JsonObject } from '../job/json.js';

/**
 * Where a value is in JSON: the names of members and the indexes of items that lead to it, at most 16. An empty list is
 * the whole JSON. A text is a list of names with dots between them: `'counters.done'` is `['counters', 'done']`. A name
 * from outside may have a dot, so pass it in a list.
 */
export type Path = string | readonly (string | number)[];

/** A change of one value in JSON, as plain data. */
export type Operation =
  | (At & { readonly do: 'increment'; readonly by: number })
  | (At & { readonly do: 'append'; readonly items: readonly Json[] })
  | (At & { readonly do: 'merge'; readonly patch: JsonObject })
  | (At & { readonly do: 'set'; readonly value: Json })
  | (At & { readonly do: 'remove' });

interface At {
  readonly path: readonly (string | number)[];
}
