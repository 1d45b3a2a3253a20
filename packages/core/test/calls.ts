import { hostname } from 'node:os';

/** What an object was called with, in the order of the calls. Ids and places of this machine have names of their own. */
export class Calls {
  readonly #lines: string[] = [];
  readonly #ids = new Map<string, string>();

  /** The lines of a golden file. */
  get text(): string {
    return `${this.#lines.join('\n')}\n`;
  }

  note(line: string): void {
    this.#lines.push(line);
  }

  /** The same object. Its calls, and those of the objects that it returns, are noted. */
  of<Called extends object>(called: Called, name = ''): Called {
    return new Proxy(called, {
      get: (target, key) => {
        const found: unknown = Reflect.get(target, key);
        if (typeof key === 'symbol' || key === 'then') return found;
        const full = `${name}${key}`;
        if (isVerb(found)) return (...given: unknown[]) => this.#call(target, found, full, given);
        return isPart(found) ? this.of(found, `${full}.`) : found;
      },
    });
  }

  #call(target: object, called: Verb, name: string, given: readonly unknown[]): unknown {
    this.note(`${name}(${given.map((each) => this.#textOf(each)).join(', ')})`);
    const returned: unknown = Reflect.apply(called, target, given);
    const inner = `  ${name} > `;
    if (returned instanceof Promise)
      return returned.then((value: unknown) => (isPart(value) ? this.of(value, inner) : value));
    return isPart(returned) ? this.of(returned, inner) : returned;
  }

  #textOf(given: unknown): string {
    const text = JSON.stringify(given, (_, value: unknown) => {
      if (typeof value === 'bigint') return `${value}n`;
      if (value instanceof AbortSignal || typeof value === 'function') return undefined;
      return value;
    });
    return (text ?? 'undefined')
      .replaceAll(hostname(), '<host>')
      .replaceAll(`"pid":${process.pid}`, '"pid":<pid>')
      .replaceAll(/"memory":\d+/g, '"memory":<bytes>')
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => this.#nameOf(id));
  }

  #nameOf(id: string): string {
    const name = this.#ids.get(id) ?? `<id ${this.#ids.size + 1}>`;
    this.#ids.set(id, name);
    return name;
  }
}

type Verb = (...given: unknown[]) => unknown;

function isVerb(value: unknown): value is Verb {
  return typeof value === 'function';
}

/** Whether it has verbs of its own. */
function isPart(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    !(value instanceof AbortSignal) &&
    !(Symbol.asyncIterator in value) &&
    Object.values(value).some(isVerb) &&
    !('visible' in value)
  );
}
