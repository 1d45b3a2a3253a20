/** A text of an address by its name, or nothing if it is missing or empty. */
export function textIn<Name extends string>(
  query: URLSearchParams,
  name: Name,
): { readonly [Each in Name]?: string } {
  const value = query.get(name) ?? '';
  const found: { [Each in Name]?: string } = {};
  if (value !== '') found[name] = value;
  return found;
}
