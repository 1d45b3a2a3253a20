// `npm run order-search`: a search over the orders of an old system, on a database of its own.
import { buildAndRun } from './build-and-run.mjs';

/** @returns {Promise<number>} the exit code */
export function run(args) {
  console.log('Installing and building …');
  return buildAndRun('@rowlock/app-order-search...', 'apps/order-search/dist/demo.js', args);
}
