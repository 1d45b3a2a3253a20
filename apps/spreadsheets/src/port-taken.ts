/** The exit code of a front end whose port is taken: what EADDRINUSE is on Linux. */
export const PORT_TAKEN = 98;
