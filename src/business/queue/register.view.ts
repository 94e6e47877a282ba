/** The schemas of a queue: the writes that a register kept while it was offline, and their results. */
import { WRITE_FIELDS } from '../../access/devices/register-writes.js';
import { ErrorModel } from '../../api/render-error.js';
import { choice, model, optional, Time, Type, text } from '../../api/wire.js';
import { FLAG_CODES } from '../../identity/kept-write.js';
import { CashDrawerShift } from '../cash-drawers/v2.view.js';
import { PaymentRefund } from '../refunds/v2.view.js';
import { RegisterSale } from '../tills/register.view.js';
import { V1Timecard } from '../timecards/v1.view.js';

/** What a register can do offline. */
export const KEPT_OPERATIONS = [
  'ringUpSale',
  'takeTender',
  'cancelSale',
  'issueRefund',
  'openShift',
  'noSale',
  'paidIn',
  'paidOut',
  'endShift',
  'closeShift',
  'clockIn',
  'clockOut',
] as const;

export type KeptOperation = (typeof KEPT_OPERATIONS)[number];

export const MAX_WRITES = 100;

/**
 * The body of the operation without `id` and `occurred_at`, and the ids of its path: `sale_id` or `shift_id`, which may be the ids that the
 * register chose. Each write is checked on its own.
 */
const Body = Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object' });

export const Queue = Type.Object({
  /** The time of the register's clock now. The server corrects all times by the difference to its own. */
  sent_at: Time,
  writes: Type.Array(
    model('KeptWrite', {
      id: WRITE_FIELDS.id,
      operation: choice(KEPT_OPERATIONS),
      employee_id: text(64, { minLength: 1 }),
      occurred_at: Time,
      body: Body,
    }),
    { minItems: 1, maxItems: MAX_WRITES },
  ),
});

export const WriteFlag = model('WriteFlag', { code: choice(FLAG_CODES), detail: Type.String() });

/** What the operation would have responded. */
const Response = Type.Object({
  sale: optional(RegisterSale),
  refunds: optional(Type.Array(PaymentRefund)),
  cash_drawer_shift: optional(CashDrawerShift),
  timecard: optional(V1Timecard),
});

export const QueueResults = Type.Object({
  now: Time,
  /** In the order of the writes. */
  results: Type.Array(
    model('KeptWriteResult', {
      id: Type.String(),
      status: choice(['ACCEPTED', 'REFUSED']),
      response: optional(Response),
      flags: optional(Type.Array(WriteFlag)),
      error: optional(ErrorModel),
    }),
  ),
});
