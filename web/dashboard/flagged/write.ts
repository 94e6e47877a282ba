/** A write of a register that the owner should review, in words. */
import type { dashboard, ResponseOf } from '../../client/operations.js';

export type FlaggedWrite = ResponseOf<typeof dashboard.listFlaggedWrites>['writes'][number];

const OPERATIONS: Readonly<Record<string, string>> = {
  ringUpSale: 'Sale',
  takeTender: 'Payment of a sale',
  editSale: 'Changed sale',
  cancelSale: 'Canceled sale',
  issueRefund: 'Refund',
  openShift: 'Drawer opened',
  noSale: 'Drawer opened without a sale',
  paidIn: 'Paid in',
  paidOut: 'Paid out',
  endShift: 'Shift ended',
  closeShift: 'Drawer closed',
  clockIn: 'Clocked in',
  clockOut: 'Clocked out',
};

export function operationName({ operation }: Pick<FlaggedWrite, 'operation'>): string {
  return OPERATIONS[operation] ?? operation;
}

/** The reasons, as sentences. */
export function reasonsOf({ flags }: Pick<FlaggedWrite, 'flags'>): string {
  return flags.map(({ detail }) => detail).join(' ');
}

export function toReviewed(writes: readonly FlaggedWrite[]) {
  return { writes: writes.map(({ device_id, write_id }) => ({ device_id, write_id })) };
}
