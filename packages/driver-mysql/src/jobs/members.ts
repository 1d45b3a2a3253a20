import type { Members } from '@rowlock/core/driver';

/** A value that JSON has at the end of these names. An object stands for any object. */
export interface Member {
  readonly path: readonly string[];
  readonly value: string | number | boolean | null | object;
}

/** The conditions of `hasMembers`, one by one. */
export function membersOf(members: Members, path: readonly string[] = []): readonly Member[] {
  const entries = Object.entries(members);
  if (entries.length === 0) return [{ path, value: {} }];
  return entries.flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? membersOf(value, [...path, name])
      : [{ path: [...path, name], value }],
  );
}
