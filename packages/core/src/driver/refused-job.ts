/** A job whose row the database refuses to change: a trigger of the application's, or a policy. */
export interface RefusedJob {
  readonly publicId: string;
  readonly error: unknown;
}
