export type { Access, Grant, NamedGrant, Role } from './access.js';
export type { Calls, Changes } from './calls.js';
export { createDashboard, type Dashboard, type DashboardOptions } from './dashboard.js';
export type { JobTrace, JobUrls, LinkedJob } from './job-links.js';
export { node } from './node.js';
export type { Permission } from './permission.js';
export type { Redact, RedactedJob, RedactedPart } from './redact.js';
