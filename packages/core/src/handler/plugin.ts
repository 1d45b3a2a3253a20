import type { AnyHandler } from './handler.js';

/** A named set of handlers with their dependencies. */
export interface Plugin<Tx = unknown> {
  readonly name: string;
  readonly handlers: readonly AnyHandler<Tx>[];
}

/** Defines a plugin. Usually a function takes the plugin's dependencies and returns this. */
export function definePlugin<Tx = unknown>(plugin: Plugin<Tx>): Plugin<Tx> {
  return plugin;
}
