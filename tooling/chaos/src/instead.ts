/** An object that is another one but for some of its members. */
export function instead<T extends object>(of: () => T, changed: Partial<T>): T {
  return new Proxy(Object.create(null), {
    get(_, name) {
      const from = Reflect.has(changed, name) ? changed : of();
      const member: unknown = Reflect.get(from, name);
      return typeof member === 'function' ? member.bind(from) : member;
    },
  });
}
