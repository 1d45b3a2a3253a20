import type { Viewer } from '../access.js';
import type { Calls, Changes } from '../calls.js';
import type { Fields } from '../http/fields.js';
import type { LinksOf } from '../job-links.js';
import type { LaneHistories } from '../lane-history.js';
import type { Permission } from '../permission.js';
import type { Redact } from '../redact.js';

/** A call of the page, after its checks. */
export interface Call {
  /** What the viewer may see. */
  readonly rowlock: Calls;
  /** What the viewer changes, which is on record with the viewer's name. */
  readonly operator: Changes;
  readonly viewer: Viewer;
  readonly query: URLSearchParams;
  /** The body. A GET has none. */
  readonly fields: Fields;
  readonly redact: Redact | undefined;
  readonly linksOf: LinksOf;
  /** Aborted when the browser has gone, or the dashboard is closed. */
  readonly signal: AbortSignal;
  readonly histories: LaneHistories;
}

export interface Route {
  readonly permission: Permission;
  /** Why a viewer of some queues or kinds does not get it. Default: such a viewer gets a part. */
  readonly isOfAll?: string;
  /** Whether the viewers who ask for the same share a look at the database. */
  readonly isShared?: true;
  /** What it returns is sent as JSON, unless it is a `Response`. */
  readonly answer: (call: Call) => Promise<unknown> | object;
}
