/** A JSON object whose members have not been looked at yet. */
export type JsonObject = { readonly [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member as a string, or undefined when it is missing or something else. */
export function stringAt(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' ? value : undefined;
}

/** The member as a whole number of 0 or more, or undefined when it is missing or something else. */
export function indexAt(object: JsonObject, name: string): number | undefined {
  const value = object[name];
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
}
