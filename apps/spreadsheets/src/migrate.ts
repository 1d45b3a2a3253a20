import { configOrExit, createLog, startWhenPossible } from '@rowlock/app-shared';
import { compose } from './composition.js';
import { readConfig } from './config.js';

// Brings both schemas up to date: Rowlock's, and the application's own. Run it before a new version starts.
const config = configOrExit(() => readConfig(process.env, 'migration'));
const log = createLog('migrate', config.logLevel);
const { migrate, close } = compose(config, log);
await startWhenPossible(log, async () => {
  log.info(await migrate(), 'the schemas are up to date');
});
await close();
