/** A UUID as it is written down: a key in capitals would be another entity. Undefined for any other text. */
export function uuidOf(text: string): string | undefined {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : undefined;
}
