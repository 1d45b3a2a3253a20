import { Failure } from '../failure.js';
import type { Engine } from './target.js';

/** A driver's module. @throws Failure when its package is not installed. */
export function driverModule(engine: 'postgres'): Promise<typeof import('@rowlock/driver-postgres')>;
export function driverModule(engine: 'mysql'): Promise<typeof import('@rowlock/driver-mysql')>;
export async function driverModule(engine: Engine): Promise<unknown> {
  try {
    return await (engine === 'postgres'
      ? import('@rowlock/driver-postgres')
      : import('@rowlock/driver-mysql'));
  } catch (error) {
    const name = `@rowlock/driver-${engine}`;
    const { code, message } = Object(error);
    // A package that the driver needs may be missing too.
    if (code !== 'ERR_MODULE_NOT_FOUND' || !String(message).includes(`'${name}'`)) throw error;
    throw new Failure(
      `This database needs the package ${name}, which is not installed here: npm install ${name}`,
    );
  }
}
