export { answerProblem } from './web/answer-problem.js';
export { listen, type WebServer } from './web/listen.js';
export { logRequest } from './web/log-request.js';
export { Problem } from './web/problem.js';
export { securityHeaders } from './web/security-headers.js';
