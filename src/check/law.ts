/** What a law of the books is. */
export interface Law {
  readonly name: string;
  /** Selects `merchant_id`, `subject` (what breaks it) and `found` (how). */
  readonly statement: string;
}
