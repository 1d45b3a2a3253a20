import { isObject, type JsonObject } from './json.js';

/** A parsed mask: each named member with the mask of what is below it; `undefined` below means all of it. */
export interface FieldMask {
  readonly [name: string]: FieldMask | undefined;
}

/** The members a resource has; `true` is a leaf or a free-form map. */
export interface Shape {
  readonly [name: string]: Shape | true;
}

/** Thrown for a mask that does not parse or names a member the resource lacks; `field` is the offender. */
export class InvalidFieldMask extends Error {
  constructor(readonly field: string) {
    super(`Invalid field selection ${field}`);
  }
}

/**
 * Parses `files(id,name),nextPageToken`, `a/b`, `a.b` and `*`.
 * @param shape what may be named; `true` for anything
 * @throws InvalidFieldMask
 */
export function parseFieldMask(text: string, shape: Shape | true): FieldMask {
  const tokens = text.match(/[A-Za-z0-9_*@-]+|[(),/.]|\S/g) ?? [];
  let at = 0;
  const mask = list(shape);
  if (at < tokens.length) throw new InvalidFieldMask(tokens[at] ?? text);
  return mask;

  function list(within: Shape | true): FieldMask {
    const found: Record<string, FieldMask | undefined> = {};
    do {
      const [name, below] = path(within);
      const before = found[name];
      found[name] = name in found && (!before || !below) ? undefined : below && { ...before, ...below };
    } while (tokens[at] === ',' && ++at);
    return found;
  }

  function path(within: Shape | true): [string, FieldMask | undefined] {
    const name = tokens[at++] ?? '';
    if (!/^(\*|[A-Za-z0-9_@-]+)$/.test(name)) throw new InvalidFieldMask(name || text);
    const below = within === true || name === '*' ? true : within[name];
    if (below === undefined) throw new InvalidFieldMask(name);
    if (tokens[at] === '/' || tokens[at] === '.') {
      at++;
      const [child, grandchildren] = path(below);
      return [name, { [child]: grandchildren }];
    }
    if (tokens[at] !== '(') return [name, undefined];
    at++;
    const inner = list(below);
    if (tokens[at++] !== ')') throw new InvalidFieldMask(text);
    return [name, inner];
  }
}

/** The part of a value that the mask names. Arrays are masked element by element. */
export function applyFieldMask(value: unknown, mask: FieldMask | undefined): unknown {
  if (mask === undefined || '*' in mask) return value;
  if (Array.isArray(value)) return value.map((element) => applyFieldMask(element, mask));
  if (!isObject(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(mask)) {
    if (name in value) kept[name] = applyFieldMask(value[name], mask[name]);
  }
  return kept satisfies JsonObject;
}
