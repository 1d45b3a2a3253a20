import { emptyDatabase } from './empty-database.js';
import { createStage, type Stage } from './stage.js';

/** A stage on a database of the test's own, for what is asked of all jobs of a database: the other tests leave some in hundreds of queues. */
export async function alone<Tx>(stage: Stage<Tx>): Promise<Stage<Tx>> {
  const { database, process } = await emptyDatabase(stage);
  const { driver } = await process();
  await driver.schema.migrate();
  const { stage: own, end } = createStage(database, driver, stage.createDatabase);
  stage.defer(end);
  return own;
}
