import { type Config, ConfigError, type Role, readConfig } from './config.js';

/** The configuration, or the end of the process with a list of what is wrong in it. */
export function configOrExit(role: Role): Config {
  try {
    return readConfig(process.env, role);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}
