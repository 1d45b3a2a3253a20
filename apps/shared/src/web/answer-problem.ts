import type { ErrorRequestHandler } from 'express';
import type { Logger } from 'pino';
import { Problem } from './problem.js';
import { problemOf } from './problem-of.js';
import { problemPage } from './problem-page.js';

/** Turns every error into problem details, or into a page for a person. Only faults of ours are logged with their stack. */
export function answerProblem(
  log: Logger,
  /** The application's name, for a page. */
  title: string,
  /** What the application's own errors mean. */
  ownProblemOf: (error: unknown) => Problem | undefined = () => undefined,
): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    const problem =
      ownProblemOf(error) ??
      problemOf(error) ??
      new Problem(500, 'Something went wrong on our side.', { cause: error });
    if (problem.status >= 500) {
      const { cause = error } = problem;
      log.error(
        { err: cause, method: req.method, path: req.path, status: problem.status },
        'a request failed',
      );
    }
    // Half an answer cannot be taken back: let Express cut the connection.
    if (res.headersSent) return next(error);
    res
      .status(problem.status)
      .set(problem.more.headers ?? {})
      .vary('Accept');
    // Only browsers that follow a link or send a form prefer this; programs and the page's own script do not.
    const isPerson = req.accepts(['application/problem+json', 'text/html']) === 'text/html';
    if (isPerson) res.type('html').send(problemPage(problem, title));
    else res.type('application/problem+json').send(JSON.stringify(problem));
  };
}
