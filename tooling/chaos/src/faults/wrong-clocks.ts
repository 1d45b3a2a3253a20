import type { Fault } from '../fault.js';

/** The clocks of the workers are an hour ahead, an hour behind, or right. The stage has set them. */
export const wrongClocks: Fault = {
  name: 'wrong clocks',
  needs: ['wrong clocks'],
  at: 'always',
  seconds: 15,
  async begin() {
    return async () => {};
  },
};
