import { startDemo } from './demo/demo.js';

// What `npm run order-search` runs: an old order system, and a search over it that it does not notice.
await startDemo();
