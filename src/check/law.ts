/** Defines a law: a condition that the stored records must always satisfy. */
export interface Law {
  readonly name: string;
  /**
   * Selects the rows that break the law: `merchant_id`, `subject` (the id of the record) and `found` (the wrong
   * values).
   */
  readonly statement: string;
  /**
   * The only row on which the law depends. An incremental check skips versions of it that were checked before (decision 0249). The statement
   * then ends with conditions to which more can be added with `and`.
   */
  readonly row?: { readonly alias: string; readonly id: string };
}

/** A row that breaks a law. */
export interface Breach {
  readonly law: string;
  readonly merchantId: string;
  readonly subject: string;
  readonly found: string;
}
