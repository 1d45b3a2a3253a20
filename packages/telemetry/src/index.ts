export { type Health, type HealthCheck, health } from './health/health.js';
export { type OpenTelemetry, type OpenTelemetryOptions, openTelemetry } from './otel/open-telemetry.js';
export { type Prometheus, prometheus } from './prometheus/prometheus.js';
