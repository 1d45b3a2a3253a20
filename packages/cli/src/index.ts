export { main } from './main.js';
export { run } from './run.js';
export type { Terminal } from './terminal.js';
