import type { Fault } from '../fault.js';
import type { Stage } from '../stage.js';

/** An operator has set limits on how long sessions may idle, and transactions last, that are shorter than some handlers. */
export const impatientOperator: Fault = {
  name: 'idle limits',
  needs: [],
  at: 'server',
  seconds: 20,
  async begin(stage) {
    const relieve = stage.crew.impair('*', "the operator's limits end sessions");
    await say(stage, 'on');
    return async () => {
      await say(stage, 'off');
      relieve();
    };
  },
};

/** What is set concerns new sessions: the others are ended. */
async function say<Tx>(stage: Stage<Tx>, which: 'on' | 'off'): Promise<void> {
  const { system } = stage;
  await stage.plainly(async (plain) => {
    for (const statement of system.impatience[which]) await plain.ask(statement);
    await system.endSessions(plain, () => true);
  });
}
