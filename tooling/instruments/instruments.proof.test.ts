import { describeTools } from './describe-tools.js';

describeTools(['OpenTelemetry with comments', 'dd-trace']);
