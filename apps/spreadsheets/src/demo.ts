import { startDemo } from './demo/demo.js';

// What `npm start` runs: everything on this machine, and nothing to set up.
await startDemo();
