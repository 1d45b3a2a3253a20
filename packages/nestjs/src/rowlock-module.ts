import {
  type ConfigurableModuleAsyncOptions,
  ConfigurableModuleBuilder,
  type DynamicModule,
  type FactoryProvider,
} from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, ModuleRef, ModulesContainer, Reflector } from '@nestjs/core';
import {
  checkOptions,
  createRowlock,
  InvalidInputError,
  milliseconds,
  Rowlock,
  type RowlockOptions,
  type Worker,
  type WorkerOptions,
} from '@rowlock/core';
import type { AnyHandler, StopOptions } from '@rowlock/core/types';
import { JobProviders } from './job-providers.js';
import { Lifecycle } from './lifecycle.js';
import { nestContainer } from './nest-container.js';
import { nestLogger } from './nest-logger.js';
import { TRANSACTION, transaction } from './transaction.js';
import { WORKER } from './worker-token.js';

/** What `createRowlock` takes, without `resolve`: Nest builds the handlers that are classes. */
export interface RowlockModuleOptions<Tx> extends Omit<RowlockOptions<Tx>, 'resolve'> {
  /**
   * The worker of this process. It starts when the application has started, and stops before anything else ends. `false`:
   * none, in a process that only enqueues. Default: one with the worker's defaults.
   */
  readonly worker?: RowlockWorkerOptions | false;
}

/** The worker's own options, and how long its runs may go on when the application ends. */
export type RowlockWorkerOptions = WorkerOptions & StopOptions;

const OPTIONS: readonly string[] = [
  'driver',
  'plugins',
  'handlers',
  'defaults',
  'log',
  'clock',
  'retention',
  'schedules',
  'captures',
  'worker',
] satisfies (keyof RowlockModuleOptions<unknown>)[];

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<
  // biome-ignore lint/suspicious/noExplicitAny: the methods below bind the transaction's type, which Nest's container does not have.
  RowlockModuleOptions<any>
>()
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createRowlockOptions')
  .build();

/**
 * Rowlock in a Nest application: `Rowlock` is injected everywhere, the providers with `@JobHandler` run the jobs, and the
 * worker starts and stops with the application. Import it once, in the root module.
 */
// biome-ignore lint/complexity/noStaticOnlyClass: to Nest a module is a class.
export class RowlockModule {
  /**
   * @example
   * RowlockModule.forRoot({ driver: postgres({ connectionString: process.env.DATABASE_URL }), worker: { concurrency: 10 } })
   */
  static forRoot<Tx>(options: RowlockModuleOptions<Tx>): DynamicModule {
    return root(ConfigurableModuleClass.forRoot(options));
  }

  /**
   * The same, with options that other providers make.
   *
   * @example
   * RowlockModule.forRootAsync({
   *   inject: [ConfigService],
   *   useFactory: (config: ConfigService) => ({ driver: postgres({ connectionString: config.get('DATABASE_URL') }) }),
   * })
   */
  static forRootAsync<Tx>(
    options: ConfigurableModuleAsyncOptions<RowlockModuleOptions<Tx>, 'createRowlockOptions'>,
  ): DynamicModule {
    return root(ConfigurableModuleClass.forRootAsync(options));
  }
}

function root(module: DynamicModule): DynamicModule {
  return {
    ...module,
    module: RowlockModule,
    global: true,
    imports: [...(module.imports ?? []), DiscoveryModule],
    providers: [...(module.providers ?? []), jobProviders, rowlock, worker, lifecycle, transaction],
    exports: [Rowlock, WORKER, TRANSACTION],
  };
}

const jobProviders: FactoryProvider<JobProviders> = {
  provide: JobProviders,
  inject: [DiscoveryService, Reflector],
  useFactory: (discovery: DiscoveryService, reflector: Reflector) => new JobProviders(discovery, reflector),
};

const rowlock: FactoryProvider<Rowlock> = {
  provide: Rowlock,
  inject: [MODULE_OPTIONS_TOKEN, JobProviders, ModuleRef, ModulesContainer],
  useFactory(
    given: RowlockModuleOptions<unknown>,
    providers: JobProviders,
    moduleRef: ModuleRef,
    modules: ModulesContainer,
  ) {
    checkGiven(given);
    checkOnce(modules);
    const { worker = {}, ...options } = given;
    const plugins = [...(options.plugins ?? []), ...providers.plugins()];
    if (worker !== false)
      checkHandlers([...(options.handlers ?? []), ...plugins.flatMap(({ handlers }) => handlers)], providers);
    return createRowlock({
      log: nestLogger(),
      ...options,
      plugins,
      resolve: nestContainer(moduleRef, providers),
    });
  },
};

/** What is read here, before `createRowlock` checks all others. @throws InvalidInputError */
function checkGiven(given: RowlockModuleOptions<unknown>): void {
  checkOptions('RowlockModule.forRoot()', given, OPTIONS);
  const { plugins = [], handlers = [], worker = {} } = given;
  for (const [name, list] of Object.entries({ plugins, handlers }))
    if (!Array.isArray(list))
      throw new InvalidInputError(`${name} of RowlockModule.forRoot() must be a list.`);
  if (worker !== false && Object(worker) !== worker)
    throw new InvalidInputError(
      'worker of RowlockModule.forRoot() must be an object, as { concurrency: 10 }, or false in a process that only enqueues.',
    );
}

/** @throws InvalidInputError when the application has a second Rowlock: workers of both would look for the same handlers. */
function checkOnce(modules: ModulesContainer): void {
  if ([...modules.values()].filter(({ providers }) => providers.has(Rowlock)).length > 1)
    throw new InvalidInputError(
      'RowlockModule.forRoot() is imported twice. Import it in the root module alone: Rowlock is injected in all others without it.',
    );
}

/** @throws InvalidInputError when a worker would have no handler, or one that Nest cannot build. */
function checkHandlers(handlers: readonly AnyHandler<unknown>[], providers: JobProviders): void {
  if (handlers.length === 0)
    throw new InvalidInputError(
      'There is nothing for a worker to run: no module has a provider with @JobHandler. A process that only enqueues has worker: false in RowlockModule.forRoot().',
    );
  for (const { code } of handlers) if ('use' in code) providers.tokenOf(code.use);
}

const worker: FactoryProvider<Worker | null> = {
  provide: WORKER,
  inject: [MODULE_OPTIONS_TOKEN, Rowlock],
  useFactory({ worker = {} }: RowlockModuleOptions<unknown>, made: Rowlock) {
    if (worker === false) return null;
    const { drain = 0, ...options } = worker;
    milliseconds(drain, 'worker.drain');
    return made.worker(options);
  },
};

const lifecycle: FactoryProvider<Lifecycle> = {
  provide: Lifecycle,
  inject: [ModulesContainer, Rowlock, WORKER, MODULE_OPTIONS_TOKEN],
  useFactory(
    modules: ModulesContainer,
    made: Rowlock,
    running: Worker | null,
    { worker = {} }: RowlockModuleOptions<unknown>,
  ) {
    const { drain } = worker === false ? {} : worker;
    return new Lifecycle(modules, made, running, drain === undefined ? {} : { drain });
  },
};
