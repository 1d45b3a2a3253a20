import { Failure } from '../failure.js';
import type { Engine } from './target.js';

/** The driver, and its client, which package managers may leave to the application. */
const PACKAGES: Readonly<Record<Engine, readonly string[]>> = {
  postgres: ['@rowlock/driver-postgres', 'pg'],
  mysql: ['@rowlock/driver-mysql', 'mysql2'],
};

/** A driver's module. @throws Failure when its package, or that of its client, is not installed. */
export function driverModule(engine: 'postgres'): Promise<typeof import('@rowlock/driver-postgres')>;
export function driverModule(engine: 'mysql'): Promise<typeof import('@rowlock/driver-mysql')>;
export async function driverModule(engine: Engine): Promise<unknown> {
  try {
    return await (engine === 'postgres'
      ? import('@rowlock/driver-postgres')
      : import('@rowlock/driver-mysql'));
  } catch (error) {
    const { code, message } = Object(error);
    const name = PACKAGES[engine].find((one) => String(message).includes(`'${one}'`));
    // Another package that the driver needs may be missing too.
    if (code !== 'ERR_MODULE_NOT_FOUND' || name === undefined) throw error;
    throw new Failure(
      `This database needs the package ${name}, which is not installed here: npm install ${name}`,
    );
  }
}
