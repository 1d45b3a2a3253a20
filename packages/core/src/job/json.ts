/** A value that survives JSON unchanged. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

export type JsonObject = { readonly [name: string]: Json };

export function isObject(json: Json | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** As `Array.isArray`, whose type leaves out read-only arrays. */
export function isArray(json: Json | undefined): json is readonly Json[] {
  return Array.isArray(json);
}

/**
 * A type whose values are JSON, with `never` in place of each part that is not. Unlike `Json`, it accepts an interface,
 * and a class without methods. A member may be `undefined`: JSON leaves it out.
 */
export type Serializable<Value> = Value extends Json
  ? Value
  : Value extends NoData
    ? never
    : Value extends object
      ? { [Name in keyof Value]: Serializable<Value[Name]> | OptionalIn<Value, Name> }
      : never;

/** The type of a value after it was kept as JSON. A Date is text. An `unknown` is only JSON. */
export type Stored<Value> = unknown extends Value
  ? Json
  : Value extends Json
    ? Value
    : Value extends { toJSON(): infer Written }
      ? Stored<Written>
      : Value extends object
        ? { readonly [Name in keyof Value]: Stored<Value[Name]> | OptionalIn<Value, Name> }
        : never;

/** Named, so that the compiler's message is about these types and not about each of their methods. */
type NoData =
  | Date
  | RegExp
  | Error
  | PromiseLike<unknown>
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | ((...given: never) => unknown);

/** JSON leaves out an undefined member, but not an undefined item of a list. */
type OptionalIn<Value, Name extends keyof Value> = Value extends readonly unknown[]
  ? never
  : Extract<Value[Name], undefined>;
