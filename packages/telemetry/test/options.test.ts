import { expect, test } from 'vitest';
import { openTelemetry } from '../src/index.js';

test('the options are accepted, and an unknown one is refused with the name that may be meant', () => {
  expect(openTelemetry({ keys: true, continueTraces: false }).name).toBe('open-telemetry');
  expect(() => openTelemetry(Object({ continueTrace: false }))).toThrow(
    expect.objectContaining({
      code: 'ROWLOCK_INVALID_INPUT',
      message: expect.stringMatching(/openTelemetry\(\) has no "continueTrace".*continueTraces meant/),
    }),
  );
});

test.each([null, 5, 'x', Symbol('s'), []])('options that are none are refused: %o', (odd) => {
  expect(() => openTelemetry(Object({ odd }).odd)).toThrow(
    expect.objectContaining({ code: 'ROWLOCK_INVALID_INPUT' }),
  );
});
