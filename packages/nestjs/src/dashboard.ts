import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { All, HttpException, Inject, type OnModuleDestroy, Req, Res } from '@nestjs/common';
import { Rowlock } from '@rowlock/core';
import { createDashboard, type Dashboard, type Grant, node, type Redact } from '@rowlock/dashboard';

/** A request of Express or of Fastify, as far as the dashboard needs it. */
type Asked = IncomingMessage & ExpressRoute & FastifyRequest;

interface ExpressRoute {
  readonly route?: { readonly path: string };
}

interface FastifyRequest {
  readonly raw?: IncomingMessage;
  readonly routeOptions?: { readonly url: string };
  readonly body?: unknown;
}

/** A property that no class of an application has too, whose constructor stays its own. */
const ROWLOCK = Symbol('rowlock');

interface Answered {
  readonly raw?: ServerResponse;
  hijack?(): void;
}

/**
 * The dashboard as a controller, on Express. A class of yours extends it, with its path and its guards.
 *
 * @example
 * @Controller('rowlock')
 * @UseGuards(AdminGuard)
 * export class JobsController extends DashboardController<Request> {
 *   access = ({ user }: Request) => (user.isAdmin ? 'operator' : 'read-only');
 * }
 */
export abstract class DashboardController<Request = unknown> implements OnModuleDestroy {
  readonly [ROWLOCK]!: Rowlock;
  readonly #requests = new AsyncLocalStorage<Request>();
  #dashboard: Dashboard | null = null;

  /** Says what the sender of a request that has passed the guards may do, as `access` of `createDashboard`. */
  abstract access(request: Request): Grant | null | Promise<Grant | null>;

  /** Changes what leaves the server, as `redact` of `createDashboard`. */
  declare readonly redact?: Redact;

  show(request: Request & Asked, response: ServerResponse & Answered): void {
    this.#dashboard ??= this.#create(pathOf(request));
    const show = node(this.#dashboard);
    const { raw = request } = request;
    // Fastify has read the body.
    if (raw !== request) Object.assign(raw, { body: request.body });
    response.hijack?.();
    this.#requests.run(request, () => show(raw, response.raw ?? response));
  }

  onModuleDestroy(): void {
    this.#dashboard?.close();
  }

  #create(basePath: string): Dashboard {
    const { [ROWLOCK]: rowlock, redact } = this;
    const access = async () => {
      const request = this.#requests.getStore();
      return request === undefined ? null : await answered(() => this.access(request));
    };
    return createDashboard({ rowlock, basePath, access, ...(redact && { redact }) });
  }
}

/** The dashboard as a controller, on Fastify, which writes the rest of a path in another way. */
export abstract class FastifyDashboardController<Request = unknown> extends DashboardController<Request> {
  override show(request: Request & Asked, response: ServerResponse & Answered): void {
    super.show(request, response);
  }
}

// Called, and not written as decorators: those would bring helpers of a compiler into the package.
Inject(Rowlock)(DashboardController.prototype, ROWLOCK);
serve(DashboardController.prototype, '{*path}');
serve(FastifyDashboardController.prototype, '*');

function serve(controller: DashboardController, rest: string): void {
  Req()(controller, 'show', 0);
  Res()(controller, 'show', 1);
  All(['', rest])(controller, 'show', { value: controller.show });
}

/** A refusal that Nest has a class for is answered as Nest does it: its filters are passed by, as the page writes its answers. */
async function answered(
  access: () => Grant | null | Promise<Grant | null>,
): Promise<Grant | Response | null> {
  try {
    return await access();
  } catch (error) {
    if (!(error instanceof HttpException)) throw error;
    const [body, status] = [error.getResponse(), error.getStatus()];
    return Response.json(typeof body === 'string' ? { statusCode: status, message: body } : body, { status });
  }
}

/** The path of the controller, with all that the application puts in front: a prefix, a version. */
function pathOf({ routeOptions, route }: Asked): string {
  const path = routeOptions?.url ?? route?.path ?? '/';
  return path.replace(/\/?\{?\*\w*\}?$/, '') || '/';
}
