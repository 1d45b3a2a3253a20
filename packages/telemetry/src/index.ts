export { type Health, type HealthCheck, health } from './health/health.js';
export { type Answering, node } from './node.js';
export { type OpenTelemetry, type OpenTelemetryOptions, openTelemetry } from './otel/open-telemetry.js';
export { Prometheus, prometheus } from './prometheus/prometheus.js';
