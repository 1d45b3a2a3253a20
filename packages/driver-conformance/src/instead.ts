/** Other members, and those of its parts. */
type Replaced<T> = {
  readonly [Name in keyof T]?: T[Name] extends (...given: never[]) => unknown
    ? T[Name]
    : T[Name] | Replaced<T[Name]>;
};

/** An object with some of its members, and of its parts' members, replaced. The others work on the object itself. */
export function instead<T extends object>(object: T, members: Replaced<T>): T {
  return new Proxy(object, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name in members) {
        const other: unknown = Reflect.get(members, name);
        return isPart(other) && typeof member === 'object' && member !== null
          ? instead(member, other)
          : other;
      }
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** Whether it is a plain object, as a contract of a driver is. */
export function isPart(other: unknown): other is object {
  return typeof other === 'object' && other !== null && Object.getPrototypeOf(other) === Object.prototype;
}
