/** The jobs of one kind in one queue. */
export interface Lane {
  readonly queue: string;
  readonly kind: string;
}
