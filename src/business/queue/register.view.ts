/** The schemas of a queue: the writes that a register kept while it was offline, and their results. */
import { WriteFlag } from '../../access/devices/flags.view.js';
import { WRITE_FIELDS } from '../../access/devices/register-writes.js';
import { SignatureModel } from '../../access/devices/signatures.view.js';
import { ErrorModel } from '../../api/render-error.js';
import { about, choice, model, optional, Time, Type, text } from '../../api/wire.js';
import { CashDrawerShift } from '../cash-drawers/v2.view.js';
import { Erased, PaymentRefund } from '../refunds/v2.view.js';
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
  sent_at: about(
    "The time of the register's clock now. The server corrects all times by the difference to its own.",
    Time,
  ),
  writes: about(
    'The kept writes, in the order in which they were made.',
    Type.Array(
      model('KeptWrite', {
        id: WRITE_FIELDS.id,
        operation: about('The operation of the register surface that was done.', choice(KEPT_OPERATIONS)),
        employee_id: about('Who did it.', text(64, { minLength: 1 })),
        occurred_at: about('When it was done, by the clock of the register.', Time),
        body: about(
          'The body of the operation without `id` and `occurred_at`, with the `sale_id` or `shift_id` of its path.',
          Body,
        ),
        signature: about(
          'Of `["write", device id, employee_id, time, operation, id, body]`. Without it, what lets money, goods or a card go is refused, and everything else is flagged.',
          optional(SignatureModel),
        ),
      }),
      { minItems: 1, maxItems: MAX_WRITES },
    ),
  ),
});

/** What the operation would have responded. */
const Response = Type.Object({
  sale: about('The sale, if the write is about one.', optional(RegisterSale)),
  refunds: about('The refunds, if the write made some.', optional(Type.Array(PaymentRefund))),
  erased: Erased,
  cash_drawer_shift: about('The cash drawer shift, if the write is about one.', optional(CashDrawerShift)),
  timecard: about('The timecard, if the write is about one.', optional(V1Timecard)),
});

export const QueueResults = Type.Object({
  now: about("The merchant's business time.", Time),
  results: about(
    'What became of each write, in the same order.',
    Type.Array(
      model('KeptWriteResult', {
        id: about('The id of the write.', Type.String()),
        status: about('Whether the write is recorded.', choice(['ACCEPTED', 'REFUSED'])),
        response: about('What the operation responded. Absent if it was refused.', optional(Response)),
        flags: about('What the owner should look at. Absent if there is nothing.', optional(Type.Array(WriteFlag))),
        error: about('Why it was refused. Absent if it was accepted.', optional(ErrorModel)),
        sale: about('If it was refused: the sale that it is about, as it is now.', optional(RegisterSale)),
      }),
    ),
  ),
});
