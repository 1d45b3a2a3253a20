/** Has this process believe that it is so many milliseconds later, or earlier, than it is. Its monotonic clock stays. */
export function setClockWrong(byMs: number): void {
  const Right = Date;
  class WrongDate extends Right {
    constructor(...given: [] | [number | string | Date]) {
      if (given[0] === undefined) super(Right.now() + byMs);
      else super(given[0]);
    }

    static override now(): number {
      return Right.now() + byMs;
    }
  }
  globalThis.Date = WrongDate as DateConstructor;
}
