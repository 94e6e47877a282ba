/** The register operation that sends a queue: the writes that a register kept while it was offline. */
import { LARGEST_BODY_BYTES } from '../../api/body-limits.js';
import { operation } from '../../api/operation.js';
import { SAMPLE_IDS, SAMPLE_VALUES } from '../../api/sample-ids.js';
import { instant, parseTime, printMilliseconds } from '../../base/time.js';
import { cashDrawersRoom } from '../cash-drawers/operations.js';
import { refundsRoom } from '../refunds/operations.js';
import { tillsRoom } from '../tills/operations.js';
import { timecardsRoom } from '../timecards/operations.js';
import { runQueue } from './actions.js';
import { toRunnableOperations } from './kept-operations.js';
import { Queue, QueueResults } from './register.view.js';

/** The queue runs the operations of these rooms as they are declared. */
const runnable = toRunnableOperations([timecardsRoom, cashDrawersRoom, tillsRoom, refundsRoom]);

export const registerQueueOperations = [
  operation({
    surface: 'register',
    name: 'sendQueue',
    method: 'POST',
    path: '/api/register/queue',
    permission: 'DEVICE',
    maxBodyBytes: LARGEST_BODY_BYTES,
    summary:
      'Sends writes that were made offline, at most 72 hours ago, in their order. Each runs once, and is accepted or refused separately.',
    body: Queue,
    example: {
      body: {
        sent_at: SAMPLE_VALUES.now,
        writes: [
          {
            id: SAMPLE_VALUES.kept_write_id,
            operation: 'ringUpSale',
            employee_id: SAMPLE_IDS.employee_id,
            occurred_at: SAMPLE_VALUES.now,
            body: {
              itemizations: [{ name: 'Latte', single_quantity_money: { amount: 500 } }],
              tenders: [{ id: 'cash', type: 'CASH' }],
            },
          },
        ],
      },
    },
    response: QueueResults,
    async handle(context, { body: { sent_at, writes } }) {
      const sentAt = instant(parseTime(sent_at) ?? context.now);
      const results = await runQueue(context, runnable, { sentAt, writes });
      return { now: printMilliseconds(context.now), results };
    },
  }),
];
