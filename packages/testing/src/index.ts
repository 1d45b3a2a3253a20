export { type EmptyDatabaseOptions, emptyDatabase } from './empty-database.js';
export type { HandlerRun, JobEnding, RunHandlerOptions } from './handler-run.js';
export { type EnqueuedJob, jobsOf } from './jobs-of.js';
export { runHandler } from './run-handler.js';
