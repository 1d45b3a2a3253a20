import { limitsOfJob } from '../admission/limit.js';
import type { CapturePlan } from '../driver/capture-store.js';
import { type ColumnCondition, conditionOf } from '../driver/row-condition.js';
import { storableText } from '../driver/storable.js';
import { InvalidInputError } from '../errors.js';
import { ATTEMPTS, QUEUE } from '../handler/enqueueable.js';
import { checkAttempts, checkName, checkPriority, checkWhole, checkWord } from '../input.js';
import { isError } from '../is-error.js';
import { limitsText } from '../job/limits-text.js';
import { checkOptions } from '../known-options.js';
import type { CaptureEvents, CaptureOptions } from './capture-options.js';

type AnyOptions = CaptureOptions<string, string, string>;

/** @throws InvalidInputError, with the capture's name. */
export function capturePlan(options: AnyOptions): CapturePlan {
  if (typeof options !== 'object' || options === null)
    throw new InvalidInputError('A capture is an object: defineCapture({ name, table, id, kind }).');
  checkName('The name of a capture', options.name);
  try {
    return planOf(options);
  } catch (cause) {
    if (!isError(cause)) throw cause;
    throw new InvalidInputError(`The capture ${JSON.stringify(options.name)}: ${cause.message}`, { cause });
  }
}

function planOf(options: AnyOptions): CapturePlan {
  checkOptions('defineCapture()', options, OPTIONS);
  const { name, notify = 'throttled', onError = 'fail', ownWrites = 'skip' } = options;
  const id = columns('id', options.id);
  if (id.length === 0) throw new InvalidInputError('id must name a column.');
  checkWord('notify', notify, ['throttled', 'always', 'never']);
  checkWord('onError', onError, ['fail', 'note']);
  checkWord('ownWrites', ownWrites, ['skip', 'capture']);
  return {
    name,
    table: tableOf(options.table),
    id,
    key: keyOf(options.key, id),
    ...eventsOf(options.on),
    columns: columns('payload', options.payload ?? []),
    conditions: conditionsOf(options.when ?? {}),
    bulkOver: bulkOf(options.bulk),
    notify,
    onError,
    ownWrites: ownWrites === 'capture',
    job: jobOf(options),
  };
}

function jobOf({ kind, queue = QUEUE, priority = 0, attempts = ATTEMPTS, limit }: AnyOptions) {
  checkName('kind', kind);
  checkName('queue', queue);
  checkPriority(priority);
  checkAttempts(attempts);
  if (typeof limit === 'function')
    throw new InvalidInputError('limit cannot be a function, as a trigger calls none.');
  const limits = limitsText(limitsOfJob({ kind, limit }, null, null));
  return { kind, queue, priority, maxAttempts: attempts, limits };
}

function tableOf(table: AnyOptions['table']): readonly string[] {
  const parts = typeof table === 'string' ? table.split('.') : table;
  if (!Array.isArray(parts) || parts.length < 1 || parts.length > 2)
    throw new InvalidInputError("table must be like 'orders', 'shop.orders' or ['shop', 'orders'].");
  for (const part of parts) checkName('Each part of table', part);
  return parts;
}

function keyOf(key: AnyOptions['key'], id: readonly string[]): readonly string[] {
  if (key === undefined) return id;
  return key === null ? [] : columns('key', typeof key === 'string' ? [key] : key);
}

function eventsOf(on: CaptureEvents = EVENTS): Pick<CapturePlan, 'insert' | 'update' | 'delete'> {
  checkOptions('on', on, Object.keys(EVENTS));
  const { insert = false, update = false, delete: deletes = false } = on;
  for (const [event, value] of Object.entries({ insert, delete: deletes }))
    if (typeof value !== 'boolean') throw new InvalidInputError(`on.${event} must be true or false.`);
  const changes = typeof update === 'boolean' ? update : columns('on.update', update);
  if (Array.isArray(changes) && changes.length === 0)
    throw new InvalidInputError('on.update names no column. Pass true to capture every update.');
  if (!insert && !deletes && changes === false) throw new InvalidInputError('on names no change.');
  return { insert, update: changes, delete: deletes };
}

const EVENTS = { insert: true, update: true, delete: true };

function conditionsOf(when: unknown): readonly ColumnCondition[] {
  if (typeof when !== 'object' || when === null)
    throw new InvalidInputError("when must be like { status: 'paid' }.");
  return Object.entries(when).map(([column, value]) => {
    checkName('Each column of when', column);
    const condition = conditionOf(column, value, 'when');
    if ((condition.orNull || condition.values.length > 0) && condition.values.every(isPlain))
      return condition;
    throw new InvalidInputError(
      `when.${column} must be a text, a finite number, a bigint, a boolean, null, or a list of some of these.`,
    );
  });
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return storableText(value) === value;
  return typeof value === 'number' ? Number.isFinite(value) : ['bigint', 'boolean'].includes(typeof value);
}

function bulkOf(bulk: AnyOptions['bulk'] = { over: 1_000 }): number | null {
  if (bulk === false) return null;
  checkOptions('bulk', bulk, ['over']);
  const over: unknown = bulk.over;
  checkWhole('bulk.over', over, 1, 1_000_000);
  return over;
}

function columns(what: string, given: unknown): readonly string[] {
  if (!Array.isArray(given)) throw new InvalidInputError(`${what} must be a list of columns.`);
  const names: readonly unknown[] = given;
  const checked = names.map((name) => {
    checkName(`Each column of ${what}`, name);
    return name;
  });
  const twice = checked.find((name, place) => checked.indexOf(name) !== place);
  if (twice !== undefined)
    throw new InvalidInputError(`${what} names the column ${JSON.stringify(twice)} twice.`);
  return checked;
}

const OPTIONS: readonly string[] = [
  'name',
  'table',
  'id',
  'on',
  'key',
  'kind',
  'queue',
  'priority',
  'attempts',
  'limit',
  'payload',
  'when',
  'bulk',
  'notify',
  'onError',
  'ownWrites',
] satisfies (keyof AnyOptions)[];
