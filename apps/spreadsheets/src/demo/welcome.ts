import { styleText } from 'node:util';

export interface WelcomeParts {
  readonly address: string;
  /** Where the emulated Google Sheets are, if they are emulated. */
  readonly sheets: string | undefined;
  readonly parts: readonly { readonly name: string; readonly pid: number }[];
  /** Whether anybody gets in by name. */
  readonly demo: boolean;
  readonly keptIn: readonly string[];
}

/** What to try, once everything runs. */
export function welcome({ address, sheets, parts, demo, keptIn }: WelcomeParts): string {
  const bold = (text: string): string => styleText('bold', text);
  return [
    '',
    `  ${bold(address)}   the page: sign in, create a spreadsheet, open it, edit it, press "Send back" thirty times`,
    `  ${bold(`${address}/rowlock/`)}   the dashboard: see every job and why it waits, pause queues, redrive what failed`,
    sheets && `  ${bold(sheets)}   stands in for Google Sheets`,
    `  Processes: ${parts.map(({ name, pid }) => `${name} ${pid}`).join(', ')}.`,
    '  kill -9 a worker while it works: the other one has its job at once.',
    ...(demo ? ['', '  By the API:', ...curl(address).map((line) => `    ${line}`)] : []),
    '',
    `  Ctrl-C stops everything. What you did is kept in ${keptIn.join(' and ')}.`,
    '',
  ]
    .filter((line) => line !== undefined)
    .join('\n');
}

function curl(address: string): string[] {
  return [
    `TOKEN=$(curl -s -X POST ${address}/demo/token -d name=Ada | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `curl -s -X POST ${address}/api/spreadsheets -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\`,
    `  -d '{"title":"Oars","columns":["Item","Pieces"],"rows":[["Oars",8]]}'`,
    `curl -s ${address}/api/spreadsheets -H "Authorization: Bearer $TOKEN"`,
  ];
}
