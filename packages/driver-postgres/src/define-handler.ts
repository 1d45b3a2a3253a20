import { type DefineHandler, defineHandler as ofCore } from '@rowlock/core';
import type { PostgresTransaction } from './query.js';

/** Defines the handler of one kind, with `tx` as a `PostgresTransaction`. Otherwise it is `defineHandler` of `@rowlock/core`. */
export const defineHandler: DefineHandler<PostgresTransaction> = ofCore;
