/** A number of times, in words. */
export function times(count: number): string {
  return ['never', 'once', 'twice'][count] ?? `${count} times`;
}
