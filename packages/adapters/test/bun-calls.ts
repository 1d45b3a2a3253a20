/** What the test's process says to Bun's. */
export type Call = { readonly number: number } & (
  | { readonly does: 'begin'; readonly id: number }
  | { readonly does: 'insert'; readonly id: number; readonly order: number }
  | {
      readonly does: 'query';
      readonly id: number;
      readonly text: string;
      readonly values: (string | number | null)[];
      readonly database: 'postgres' | 'mysql';
    }
  | { readonly does: 'end'; readonly id: number; readonly undone: boolean }
  | { readonly does: 'mistake'; readonly of: 'sql' | 'nothing' }
);

export interface Answer {
  readonly number: number;
  readonly result?: unknown;
  readonly error?: Readonly<Record<'name' | 'code' | 'errno' | 'message' | 'cause', unknown>>;
}
