import { type DefineHandler, defineHandler as ofCore } from '@rowlock/core';
import type { MysqlTransaction } from './query.js';

/** Defines the handler of one kind, with `tx` as a `MysqlTransaction`. Otherwise it is `defineHandler` of `@rowlock/core`. */
export const defineHandler: DefineHandler<MysqlTransaction> = ofCore;
