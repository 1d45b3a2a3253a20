import type { AnyHandler } from './handler.js';

/** A named set of handlers with what they need. */
export interface Plugin<Tx = unknown> {
  readonly name: string;
  readonly handlers: readonly AnyHandler<Tx>[];
}

/** Defines a plugin. A function that takes the plugin's needs and returns this is the usual shape. */
export function definePlugin<Tx = unknown>(plugin: Plugin<Tx>): Plugin<Tx> {
  return plugin;
}
