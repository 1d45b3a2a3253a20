import { compose } from './composition.js';
import { configOrExit } from './config-or-exit.js';
import { createLog } from './log.js';
import { startWhenPossible } from './start-when-possible.js';

// Brings both schemas up to date: Rowlock's, and the application's own. Run it before a new version starts.
const config = configOrExit('migration');
const log = createLog('migrate', config.logLevel);
const { migrate, close } = compose(config, log);
await startWhenPossible(log, async () => {
  log.info(await migrate(), 'the schemas are up to date');
});
await close();
