/**
 * The stored form of receipts and breakdowns. Version 1 is JSON with the names of the model: amounts are integers in minor
 * units of the merchant's currency, rates in millionths, quantities in hundred-thousandths. A change of the model that
 * changes this JSON needs a new version, and a reader that can still read the old versions.
 */
import { type JsonText, toJson } from '../../base/json.js';
import type { Breakdown, Receipt } from './model.js';

const VERSION = 1;

type Versioned<Content> = Content & { readonly version: typeof VERSION };

export type StoredReceipt = JsonText<Versioned<Receipt>>;
export type StoredBreakdown = Versioned<Breakdown>;

export function storeReceipt(receipt: Receipt): StoredReceipt {
  return toJson({ version: VERSION, ...receipt });
}

export function readReceipt(stored: StoredReceipt): Receipt {
  return withoutVersion<Receipt>('receipt', JSON.parse(stored));
}

export function storeBreakdown(breakdown: Breakdown): StoredBreakdown {
  return { version: VERSION, ...breakdown };
}

export function readBreakdown(stored: StoredBreakdown): Breakdown {
  return withoutVersion<Breakdown>('breakdown', stored);
}

/** A row of a refund, whose breakdown is in its stored form. */
export type WithStoredBreakdown<Refund> = Omit<Refund, 'breakdown'> & { readonly breakdown: StoredBreakdown | null };

/** Converts such a row into the refund. */
export function withBreakdown<Row extends { readonly breakdown: StoredBreakdown | null }>(
  row: Row,
): Omit<Row, 'breakdown'> & { readonly breakdown: Breakdown | null } {
  return { ...row, breakdown: row.breakdown && readBreakdown(row.breakdown) };
}

/** Throws for an unknown version, because a newer program may have written it in another form. */
function withoutVersion<Content extends object>(kind: string, stored: Partial<Versioned<Content>> | null): Content {
  const { version, ...content } = stored ?? {};
  if (version === VERSION) return content as Content;
  throw new Error(
    `A stored ${kind} has version ${JSON.stringify(version)}, but this program reads version ${VERSION} only.`,
  );
}
