import type { Problem } from './problem.js';

/** What a person reads in a browser instead of problem details. */
export function problemPage({ detail }: Problem, title: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<p>${detail.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</p>
<p><a href="/">${title}</a></p>
</html>
`;
}
