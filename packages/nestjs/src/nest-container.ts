import { ContextIdFactory, type ModuleRef } from '@nestjs/core';
import type { Resolve } from '@rowlock/core/types';
import type { JobProviders } from './job-providers.js';

/**
 * Takes the handlers that are classes from Nest's container. A run is to Nest what a request is: request-scoped providers
 * are built for it alone, and their `REQUEST` is the run's context.
 */
export function nestContainer<Tx>(moduleRef: ModuleRef, providers: JobProviders): Resolve<Tx> {
  return async (use, context) => {
    const contextId = ContextIdFactory.getByRequest(context);
    moduleRef.registerRequestByContextId(context, contextId);
    return { handler: await moduleRef.resolve(providers.tokenOf(use), contextId, { strict: false }) };
  };
}
