const own = new WeakSet<object>();

/**
 * Notes a handle as a driver's own. Such a handle refuses statements after its transaction by itself.
 *
 * @returns the handle
 */
export function ownHandle<Handle extends object>(handle: Handle): Handle {
  own.add(handle);
  return handle;
}

export function isOwnHandle(handle: object): boolean {
  return own.has(handle);
}
