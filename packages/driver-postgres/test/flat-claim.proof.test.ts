import '@rowlock/servers/vitest';
import { describeFlatClaim } from './describe-flat-claim.js';

describeFlatClaim(1_000_000);
