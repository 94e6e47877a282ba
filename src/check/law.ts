/** Defines a law: a condition that the stored records must always satisfy. */
export interface Law {
  readonly name: string;
  /**
   * Selects the rows that break the law: `merchant_id`, `subject` (the id of the record) and `found` (the wrong
   * values).
   */
  readonly statement: string;
}

/** A row that breaks a law. */
export interface Breach {
  readonly law: string;
  readonly merchantId: string;
  readonly subject: string;
  readonly found: string;
}
