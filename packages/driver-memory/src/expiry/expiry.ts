import type { Expiry } from '@rowlock/core/driver';
import type { Execute } from '../engine/execute.js';
import { cancelExpired, expired } from './statements.js';

export function expiryOf(execute: Execute): Expiry {
  return {
    over: (look) => execute((place) => expired(place, look)),
    cancel: (publicIds, error, by) => execute((place) => cancelExpired(place, publicIds, error, by)),
  };
}
