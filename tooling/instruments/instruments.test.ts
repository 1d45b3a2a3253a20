import { describeTools } from './describe-tools.js';

describeTools(['OpenTelemetry']);
