import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { CLIENT } from '../src/connection/verify-client.js';

test('the oldest version that is taken is that of the manifest', () => {
  expect(manifest.peerDependencies).toEqual({ [CLIENT.name]: `^${CLIENT.oldest.join('.')}.0` });
});
