// What drivers of this repository are tested with besides, and what their tests share with the suite. It is no API: it may change in any version.

export { countStates } from './count-states.js';
export { describeContention } from './describe-contention.js';
export { describeCrash } from './describe-crash.js';
export { describeCuts } from './describe-cuts.js';
export { describeFrozen } from './describe-frozen.js';
export { describeInterleavings } from './describe-interleavings.js';
export { describeModel } from './describe-model.js';
export { describeModelFaults } from './describe-model-faults.js';
export { describeOldTallies } from './describe-old-tallies.js';
export { type Account, type AccountsDatabase, describeRights } from './describe-rights.js';
export { Flights, leastFlights } from './flights.js';
export { HandClock } from './hand-clock.js';
export { newJob } from './new-job.js';
export { RecordedSocket } from './recorded-socket.js';
export { play, SCENES } from './scenes.js';
export { type SeverableServer, severableServer } from './severable-server.js';
export { endProcess } from './stage.js';
export { Transcript } from './transcript.js';
export { gate, until, within } from './until.js';
export { type Way, wayTo } from './way.js';
export { AnyJson } from './worker-process.js';
