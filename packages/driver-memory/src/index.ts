export type { MemoryClock } from './clock.js';
export { type MemoryDatabase, memoryDatabase } from './database.js';
export { defineHandler } from './define-handler.js';
export { type MemoryDriver, type MemoryOptions, memory } from './driver.js';
export type { MemoryTransaction, Records } from './memory-transaction.js';
