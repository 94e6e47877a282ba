/** Defines a law: a condition that the stored records must always satisfy. */
export interface Law {
  readonly name: string;
  /**
   * Selects the rows that break the law: `merchant_id`, `subject` (the id of the record) and `found` (the wrong
   * values).
   */
  readonly statement: string;
  /**
   * Whether the law compares only records of one sale, and of sales that exchanges connect with it. An incremental check then reads those of
   * touched sales only (decision 0259).
   */
  readonly isOfSales?: true;
  /** Of such a law: tables of which it finds few rows by their keys. */
  readonly readsAllOf?: readonly string[];
  /** The statement of an incremental check, if it compares less in another way. */
  readonly sinceLast?: (last: LastCheck) => string;
}

/** Parts of a statement that know what was checked before. */
export interface LastCheck {
  /** Whether a row has a version that was not checked. */
  readonly isNew: (alias: string) => string;
  /** Rows with merchant_id and id: the records that broke the law. */
  readonly open: string;
  /** The same: the touched sales, and their refunds. */
  readonly sales: string;
  readonly refunds: string;
  /** The ids of merchants all of whose records are read. */
  readonly merchants: string;
}

/** A row that breaks a law. */
export interface Breach {
  readonly law: string;
  readonly merchantId: string;
  readonly subject: string;
  readonly found: string;
}
