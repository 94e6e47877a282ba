/**
 * The stored form of receipts, of the lines of open sales, and of breakdowns. Version 1 is JSON with the names of the model: amounts are
 * integers in minor units of the merchant's currency, rates in millionths, quantities in hundred-thousandths. A change of the model that
 * changes this JSON needs a new version, and a reader that can still read the old versions. A breakdown with items has version 2;
 * everything else is still written as version 1. A field that is optional, and that older programs may ignore, needs no new version: who
 * allowed a discount or a lower price.
 */
import { type JsonText, toJson } from '../../base/json.js';
import type { Breakdown, Receipt, ReceiptInput } from './model.js';

const VERSION = 1;

const VERSION_WITH_ITEMS = 2;

type Versioned<Content, Version = typeof VERSION> = Content & { readonly version: Version };

export type StoredReceipt = JsonText<Versioned<Receipt>>;
export type StoredBreakdown = Versioned<Breakdown, typeof VERSION | typeof VERSION_WITH_ITEMS>;

export function storeReceipt(receipt: Receipt): StoredReceipt {
  return toJson({ version: VERSION, ...receipt });
}

export function fromStoredReceipt(stored: StoredReceipt): Receipt {
  return withoutVersion<Receipt>('receipt', JSON.parse(stored), [VERSION]);
}

/** The lines of an open sale as they were rung up or edited last. A receipt does not have them, because it merges equal lines. */
export type StoredLines = JsonText<Versioned<ReceiptInput>>;

export function storeLines(lines: ReceiptInput): StoredLines {
  return toJson({ version: VERSION, ...lines });
}

export function fromStoredLines(stored: StoredLines): ReceiptInput {
  return withoutVersion<ReceiptInput>('sale', JSON.parse(stored), [VERSION]);
}

export function storeBreakdown(breakdown: Breakdown): StoredBreakdown {
  return { version: breakdown.items ? VERSION_WITH_ITEMS : VERSION, ...breakdown };
}

export function fromStoredBreakdown(stored: StoredBreakdown): Breakdown {
  return withoutVersion<Breakdown>('breakdown', stored, [VERSION, VERSION_WITH_ITEMS]);
}

/** A row of a refund, whose breakdown is in its stored form. */
export type WithStoredBreakdown<Refund> = Omit<Refund, 'breakdown'> & { readonly breakdown: StoredBreakdown | null };

/** Converts such a row into the refund. */
export function withBreakdown<Row extends { readonly breakdown: StoredBreakdown | null }>(
  row: Row,
): Omit<Row, 'breakdown'> & { readonly breakdown: Breakdown | null } {
  return { ...row, breakdown: row.breakdown && fromStoredBreakdown(row.breakdown) };
}

/** Throws for an unknown version, because a newer program may have written it in another form. */
function withoutVersion<Content extends object>(
  kind: string,
  stored: Partial<Versioned<Content, number>> | null,
  known: readonly number[],
): Content {
  const { version, ...content } = stored ?? {};
  if (version !== undefined && known.includes(version)) return content as Content;
  throw new Error(
    `A stored ${kind} has version ${JSON.stringify(version)}, but this program reads version ${known.join(' and ')} only.`,
  );
}
