// What this repository's own tests share with the suite. It is no API: it may change in any version.

export { endProcess } from './stage.js';
export { gate, until, within } from './until.js';
export { AnyJson } from './worker-process.js';
