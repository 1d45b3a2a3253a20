export { defineHandler } from './define-handler.js';
export { type MemoryDriver, type MemoryOptions, memory } from './driver.js';
export type { MemoryClock } from './engine/clock.js';
export { type MemoryDatabase, memoryDatabase } from './engine/database.js';
export type { MemoryTransaction, Records } from './engine/memory-transaction.js';
