/** The tables whose changes an incremental check finds, and what each row says about others (decision 0259). */

export interface Watched {
  /** The id of the row, as text. It sorts by creation, unless `isUnordered`. */
  readonly id: string;
  /** What says which row it is and to which others it belongs. The program never changes it. Absent: no law needs the row. */
  readonly identity?: readonly string[];
  readonly isUnordered?: boolean;
  /** The ids of the records that the row belongs to. None: a change says nothing about a sale. */
  readonly refs: readonly string[];
}

export const WATCHED = {
  sales: { id: 'sale_id', identity: ['sale_id'], refs: ['sale_id'] },
  payments: { id: 'payment_id', identity: ['payment_id', 'sale_id'], refs: ['payment_id', 'sale_id'] },
  refunds: {
    // The id of a refund begins with that of its payment.
    id: "substr(refund_id, strpos(refund_id, '_') + 1)",
    identity: [
      'refund_id',
      'payment_id',
      'leader_id',
      'returned_to',
      'exchange_ids::text',
      'extract(epoch from created_at)',
    ],
    refs: ['refund_id', 'payment_id', 'leader_id', 'returned_to', "array_to_string(exchange_ids, E'\\x1f')"],
  },
  movements: {
    id: 'movement_id',
    identity: ['movement_id', 'payment_id', 'refund_id'],
    refs: ['movement_id', 'payment_id', 'refund_id'],
  },
  cash_drawer_events: {
    id: 'event_id::text',
    identity: ['event_id::text', 'shift_id::text', 'subject_id'],
    refs: ['subject_id'],
  },
  idempotency_keys: { id: 'key', refs: ['made_id'] },
  holds: { id: 'hold_id', refs: ['payment_id'] },
  orders: { id: 'order_id', refs: ['sale_id'] },
  sale_copies: { id: 'sale_id', refs: ['sale_id'] },
  merchant_processors: { id: 'processor_id', identity: ['processor_id'], isUnordered: true, refs: [] },
  report_progress: { id: 'location_id', identity: ['location_id', 'timezone'], isUnordered: true, refs: [] },
} as const satisfies Readonly<Record<string, Watched>>;

export type WatchedTable = keyof typeof WATCHED;

export const WATCHED_TABLES = Object.keys(WATCHED) as readonly WatchedTable[];
