import type { Insight } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import type { PostgresTransaction } from '../query.js';
import { backlog } from './backlog.js';
import { facts } from './facts.js';
import { runs } from './runs.js';

export function insightOf(on: PostgresTransaction, context: Context): Insight {
  return {
    facts: (question) => facts(on, context, question),
    backlog: (most, inAll) => backlog(on, context, most, inAll),
    runs: (question) => runs(on, context, question),
  };
}
