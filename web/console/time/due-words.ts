/** Work that becomes due, in words. */
import type { DueKind } from '../../../src/business/due-work/model.js';

export const DUE_WORDS: Readonly<Record<DueKind, string>> = {
  EXPIRE_PAYMENT: 'An uncaptured payment expires',
  FINISH_REFUND: 'A refund is completed',
  SEND_VOID: 'A canceled payment is voided at the processor',
  SEND_REVERSAL: 'A reversed payment is refunded at the processor',
  EXPIRE_ORDER: 'An unpaid order expires',
  CLOSE_DAY: 'The day of a location closes, and its money is paid out',
  ROLL_UP_DAYS: 'Reports are added up',
};
