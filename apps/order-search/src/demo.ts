import { startDemo } from './demo/demo.js';

// What `npm run order-search` runs: an old order system, and a search over it.
await startDemo();
