import type { Followers } from '@rowlock/core/driver';
import type { Execute } from '../engine/execute.js';
import { admit } from './statements.js';

export function followersOf(execute: Execute): Followers {
  return { admit: (look) => execute((place) => admit(place, look)) };
}
