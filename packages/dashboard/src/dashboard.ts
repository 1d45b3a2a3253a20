import { checkOptions, consoleLogger, InvalidInputError, type Logger } from '@rowlock/core';
import { type Access, isNoGrant, requirePermission, type Viewer, viewerOf } from './access.js';
import { Assets } from './assets.js';
import type { Calls } from './calls.js';
import { addSlash } from './http/add-slash.js';
import { Fields, fieldsOf } from './http/fields.js';
import { requireOwnPage } from './http/own-page.js';
import { Problem, problemOf } from './http/problem.js';
import { ownResponse, respondJson, respondProblem, thrownResponse } from './http/respond.js';
import { within } from './http/within.js';
import { type JobUrls, linksOfJobs } from './job-links.js';
import { LaneHistories } from './lane-history.js';
import { NarrowedCalls } from './narrowed/calls.js';
import { Outages } from './outages.js';
import { Recent } from './recent.js';
import { type Redact, unfailing } from './redact.js';
import type { Call, Route } from './routes/route.js';
import { ROUTES } from './routes/routes.js';
import { isWhole } from './scope.js';
import { SharedLook } from './shared-look.js';

export interface DashboardOptions extends JobUrls {
  readonly rowlock: Calls;
  /** The path under which the server calls the dashboard, e.g. `/rowlock`. Default `/`. */
  readonly basePath?: string;
  /** Says who may do what. Without it the dashboard is closed: each request gets 403. */
  readonly access?: Access;
  /** Changes payloads, outputs, progress, metadata and errors before they leave the server. Default: they stay as they are. */
  readonly redact?: Redact;
  /** Gets the faults of the dashboard. Default: standard error. */
  readonly log?: Pick<Logger, 'error'>;
}

export interface Dashboard {
  /** Answers a request, and never rejects. Paths outside `basePath` get 404. */
  fetch(request: Request): Promise<Response>;
  /** Ends calls for many jobs after their present step, and refuses later requests. Does not close the Rowlock. */
  close(): void;
}

const NO_GRANT =
  "`access` must return 'read-only', 'operator', a list of permissions, { can, name, queues, kinds }, null, or a Response. Of queues and kinds each is a list of up to 100 names, or is left out.";

const OPTIONS: readonly string[] = [
  'rowlock',
  'basePath',
  'access',
  'redact',
  'traceUrl',
  'logUrl',
  'log',
] satisfies (keyof DashboardOptions)[];

/** Where the calls of the page are, below `basePath`. */
const API = 'api/';

/**
 * A page to see and to steer the jobs of a Rowlock, for any server that takes a function from `Request` to `Response`.
 * For Node's own server and for Express, see `node`.
 *
 * @throws InvalidInputError when `basePath` does not begin with a slash, or `traceUrl` or `logUrl` is no function.
 * @example
 * const dashboard = createDashboard({ rowlock, basePath: '/rowlock', access: (request) => roleOf(request) });
 */
export function createDashboard(options: DashboardOptions): Dashboard {
  checkOptions('createDashboard()', options, OPTIONS);
  const { rowlock, basePath = '/', access, redact, log = consoleLogger } = options;
  if (typeof basePath !== 'string' || !basePath.startsWith('/'))
    throw new InvalidInputError('basePath must begin with a slash: /rowlock.');
  const base = new URL(`http://localhost${basePath}`).pathname.replace(/\/+$/, '');
  const assets = new Assets();
  const looks = new Recent<SharedLook<unknown>>();
  const linksOf = linksOfJobs(options, { error: logged });
  const histories = new Recent<LaneHistories>();
  const outages = new Outages();
  const closing = new AbortController();
  // Node collects the signal of a request together with the request, and nobody would stop what goes on for it.
  const requests = new WeakMap<AbortSignal, Request>();

  function logged(fields: object, message: string): void {
    // No answer depends on the log.
    (async () => log.error(fields, message))().catch(() => {});
  }

  async function viewer(request: Request): Promise<Viewer | Response> {
    if (access === undefined)
      throw new Problem(403, 'This dashboard is closed: createDashboard() needs the option access.');
    const copy = new Request(request.url, { method: request.method, headers: request.headers });
    const grant = await within('`access`', (async () => access(copy))().catch(thrownResponse));
    const response = ownResponse(grant);
    if (response !== undefined) return response;
    if (isNoGrant(grant))
      logged(
        { err: new InvalidInputError(NO_GRANT), status: 403 },
        'the access to the dashboard is closed, as it was not understood',
      );
    return viewerOf(grant);
  }

  async function answer(request: Request): Promise<Response> {
    const { pathname, search, searchParams: query } = new URL(request.url);
    if (pathname !== base && !pathname.startsWith(`${base}/`))
      throw new Problem(404, `The dashboard is at ${base}/.`);
    if (closing.signal.aborted) throw new Problem(503, 'The dashboard is closed.');
    const found = await viewer(request);
    if (found instanceof Response) return found;
    const path = pathname.slice(base.length + 1);
    if (pathname === base) return addSlash(base, request);
    if (!path.startsWith(API)) return assets.respond(path, request, base);
    const route = routeOf(request.method, path.slice(API.length));
    requirePermission(found, route.permission);
    if (route.isOfAll !== undefined && !isWhole(found))
      throw new Problem(403, route.isOfAll, { permission: route.permission });
    const isChange = request.method === 'POST';
    if (isChange) requireOwnPage(request);
    const fields = isChange ? await fieldsOf(request) : new Fields({});
    const signal = AbortSignal.any([request.signal, closing.signal]);
    requests.set(signal, request);
    const { queues, kinds } = found;
    // Nobody shares a look, or what is kept of looks, with those who see something else.
    const scope = JSON.stringify([queues, kinds]);
    const calls: Calls = isWhole(found) ? rowlock : new NarrowedCalls(rowlock, { queues, kinds });
    const call: Call = {
      ...{
        rowlock: calls,
        operator: calls.as(found.name),
        viewer: found,
        query,
        fields,
        signal,
        histories: histories.of(scope, () => new LaneHistories()),
        linksOf,
      },
      redact: redact && unfailing(redact, { error: logged }),
    };
    const look = async (): Promise<unknown> => route.answer(call);
    const own = (): Promise<unknown> => (isChange ? look() : within('The database', look()));
    const answered = await (route.isShared
      ? looks.of(`${scope} ${path}${search}`, () => new SharedLook(look)).get()
      : own());
    if (isChange) looks.forget();
    return answered instanceof Response ? answered : respondJson(answered, request);
  }

  return {
    async fetch(request) {
      try {
        return await answer(request);
      } catch (error) {
        const problem = problemOf(error);
        if (problem.status >= 500 && outages.isNews(problem))
          logged(
            { err: problem.cause ?? problem, status: problem.status },
            'a request to the dashboard failed',
          );
        return respondProblem(problem, (request.headers.get('accept') ?? '').includes('text/html'));
      }
    },
    close() {
      closing.abort(new Problem(503, 'The dashboard is closed.'));
    },
  };
}

/** @throws Problem 404, 405 */
function routeOf(method: string, path: string): Route {
  const found = ROUTES[`${method} ${path}`];
  if (found !== undefined) return found;
  const allow = ['GET', 'POST'].find((each) => Object.hasOwn(ROUTES, `${each} ${path}`));
  if (allow === undefined) throw new Problem(404, `There is no call ${JSON.stringify(path)}.`);
  throw new Problem(405, `This call is made by ${allow}.`, { headers: { allow } });
}
