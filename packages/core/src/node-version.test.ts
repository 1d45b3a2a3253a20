import { expect, test } from 'vitest';
import { checkNodeVersion } from './node-version.js';

test.each(['22.12.0', '22.13.1', '24.0.0', '100.1.0'])('Node %s is new enough', (version) => {
  expect(() => checkNodeVersion(version)).not.toThrow();
});

test.each(['18.20.8', '20.19.4', '22.11.0', '22.2.0'])('Node %s is refused, in a sentence', (version) => {
  expect(() => checkNodeVersion(version)).toThrow(
    `Rowlock needs Node 22.12 or later, and this process is Node ${version}.`,
  );
});
