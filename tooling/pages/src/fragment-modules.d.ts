// As Next.js 16 declares it. Its package has 150 MB, which no other page needs.
declare module 'next/server' {
  /** Does the work when the response has been sent. */
  export function after(work: () => unknown): void;
}
