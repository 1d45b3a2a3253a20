import { Demo } from './demo/demo.js';

// What `npm start` runs: everything on this machine, and nothing to set up.
const demo = new Demo();
demo.stopOnSignals();
await demo.start();
