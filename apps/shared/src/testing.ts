export { addressOf } from './testing/address-of.js';
export { launchChromium } from './testing/chromium.js';
export { DATABASES, MYSQL, type OwnServer, POSTGRES, type TestDatabase } from './testing/databases.js';
export { eventually } from './testing/eventually.js';
export { startWorkerProcess, type WorkerProcess } from './testing/worker-process.js';
