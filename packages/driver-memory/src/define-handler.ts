import { type DefineHandler, defineHandler as ofCore } from '@rowlock/core';
import type { MemoryTransaction } from './engine/memory-transaction.js';

/** Defines the handler of one kind, with `tx` as a `MemoryTransaction`. Otherwise it is `defineHandler` of `@rowlock/core`. */
export const defineHandler: DefineHandler<MemoryTransaction> = ofCore;
