import { PluginError } from '../errors.js';
import { jobError } from '../job/job-error.js';

/**
 * @param what What the plugin did, e.g. `start threw`.
 * @param cause What it threw, if it threw.
 */
export function pluginError(plugin: string, what: string, cause?: unknown): PluginError {
  if (cause === undefined)
    return new PluginError(plugin, `The plugin ${JSON.stringify(plugin)}: its ${what}.`);
  const message = `The plugin ${JSON.stringify(plugin)}: its ${what}: ${jobError(cause).message}`;
  return new PluginError(plugin, message, { cause });
}
