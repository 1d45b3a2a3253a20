import type { InjectionToken } from '@nestjs/common';
import type { DiscoveryService, Reflector } from '@nestjs/core';
import { definePlugin, InvalidInputError, type Plugin } from '@rowlock/core';
import type { AnyHandler, HandlerClass } from '@rowlock/core/types';
import { handlerOf } from './job-handler.js';
import { schedulesOf } from './recurring.js';

type Wrapper = ReturnType<DiscoveryService['getProviders']>[number];
type AnyClass = HandlerClass<unknown, never>;

/** The providers of an application, as far as they run jobs. */
export class JobProviders {
  readonly #reflector: Reflector;
  readonly #byClass = new Map<AnyClass, Wrapper[]>();

  constructor(discovery: DiscoveryService, reflector: Reflector) {
    this.#reflector = reflector;
    for (const wrapper of discovery.getProviders())
      for (const use of classesOf(wrapper))
        this.#byClass.set(use, [...(this.#byClass.get(use) ?? []), wrapper]);
  }

  /**
   * The handlers and the schedules of the classes that have decorators. A class is a plugin, so that its names are checked
   * as those of any other.
   *
   * @throws InvalidInputError when a class has a schedule and is no handler.
   */
  plugins<Tx>(): Plugin<Tx>[] {
    return [...this.#byClass.keys()].flatMap((use) => {
      const handler = handlerOf<Tx>(this.#reflector, use);
      const schedules = schedulesOf(this.#reflector, use);
      if (handler !== undefined) return [pluginOf(use, handler, schedules)];
      if (schedules.length === 0) return [];
      throw new InvalidInputError(
        `The class ${use.name} has @Recurring and no @JobHandler: a schedule enqueues jobs of the handler that it stands beside.`,
      );
    });
  }

  /**
   * What Nest's container has a handler's class by.
   *
   * @throws InvalidInputError when it has none, or several.
   */
  tokenOf(use: AnyClass): InjectionToken {
    const [wrapper, ...others] = this.#byClass.get(use) ?? [];
    if (wrapper === undefined)
      throw new InvalidInputError(
        `The class ${use.name} is a handler, and no module has it in its providers, from which Nest would build it.`,
      );
    if (others.length === 0) return wrapper.token;
    const modules = [wrapper, ...others].map(({ host }) => host?.metatype.name).join(' and ');
    throw new InvalidInputError(
      `The class ${use.name} is a handler, and a provider of ${modules}: leave it to one of them, and export it there if others need it.`,
    );
  }
}

function pluginOf<Tx>(
  use: AnyClass,
  handler: AnyHandler<Tx>,
  schedules: ReturnType<typeof schedulesOf>,
): Plugin<Tx> {
  const names = schedules.map(([name]) => name);
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined)
    throw new InvalidInputError(
      `The class ${use.name} has two schedules with the name ${JSON.stringify(twice)}.`,
    );
  return definePlugin({
    name: use.name,
    handlers: [handler],
    schedules: Object.fromEntries(schedules.map(([name, schedule]) => [name, { ...schedule, handler }])),
  });
}

/** The classes that a provider stands for: in a test, another object may be there in the place of one. */
function classesOf({ isAlias, inject, token, metatype }: Wrapper): Set<AnyClass> {
  // What builds a provider of a factory is no class.
  const built = inject ? null : metatype;
  return new Set(isAlias ? [] : [token, built].filter((each) => isClass(each)));
}

function isClass(value: unknown): value is AnyClass {
  return typeof value === 'function';
}
