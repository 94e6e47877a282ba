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
  /** The statement of an incremental check, if it skips less than whole rows: documents of what has not changed. */
  readonly sinceLast?: (last: LastCheck) => string;
}

/** Parts of a statement that know what was checked before. */
export interface LastCheck {
  /** Whether a row has a version that was not checked. */
  readonly isNew: (alias: string) => string;
  /** The records that broke the law, with "merchantId" and subject. */
  readonly open: string;
}

/** A row that breaks a law. */
export interface Breach {
  readonly law: string;
  readonly merchantId: string;
  readonly subject: string;
  readonly found: string;
}
