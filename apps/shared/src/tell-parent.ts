/** Tells the process that forked this one, if one did; that it may be gone by now is no mistake. */
export function tellParent(message: object): void {
  process.send?.(message, undefined, undefined, () => {});
}
