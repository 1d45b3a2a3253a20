import { configOrExit, createLog } from '@rowlock/app-shared';
import { compose } from './composition.js';
import { readConfig } from './config.js';

// Begins a copy, or makes one whole again. Workers may run meanwhile.
const { sourceUrl, targetUrl, logLevel } = configOrExit(() => readConfig(process.env));
const { begin, close } = compose(sourceUrl, targetUrl, createLog('replica', logLevel));
await begin();
await close();
