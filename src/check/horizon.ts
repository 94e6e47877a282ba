/** Which versions of rows are newer than the last check (decision 0249). */

/**
 * A row has the transaction id that wrote its version. Ages are compared, because these ids begin anew after four billion. An old row whose
 * id looks new because of that is checked once more than necessary. `horizon` is a parameter with a transaction id.
 */
export function isNewer(alias: string, horizon: string): string {
  return `age(${alias}.xmin) <= (select age(${horizon}::xid))`;
}

/** As `xid`: without the number of times that these ids have begun anew. */
export function toXid(horizon: string): string {
  return BigInt.asUintN(32, BigInt(horizon)).toString();
}
