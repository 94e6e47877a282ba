/** All scenarios. Those of a group share a server, and are measured one after the other. */
import {
  listCashDrawerShiftsDeep,
  listPaymentsDeep,
  listTimecardsDeep,
  v1ListPaymentsDeep,
} from './scenarios/deep-lists.mjs';
import { createPaymentTwoProcesses, getPaymentTwoProcesses } from './scenarios/processes.mjs';
import { getPayment, listPayments, v1ListPayments } from './scenarios/reads.mjs';
import { report } from './scenarios/reports.mjs';
import { requestLog } from './scenarios/request-log.mjs';
import { closeDay, retrieveSettlementDeep } from './scenarios/settlements.mjs';
import { startLater, startNew } from './scenarios/starts.mjs';
import { testKit } from './scenarios/test-kit.mjs';
import { webhooks, webhooksWaiting } from './scenarios/webhooks.mjs';
import {
  createPayment,
  createPaymentAgainstPgbench,
  createPaymentMany,
  createPaymentManyAgainstPgbench,
  createPaymentMemory,
} from './scenarios/writes.mjs';

export const GROUPS = [
  {
    createPayment,
    createPaymentMany,
    createPaymentAgainstPgbench,
    createPaymentManyAgainstPgbench,
    createPaymentMemory,
  },
  // Those with few rows come first.
  {
    getPayment,
    listPayments,
    v1ListPayments,
    listPaymentsDeep,
    v1ListPaymentsDeep,
    listTimecardsDeep,
    listCashDrawerShiftsDeep,
    report,
  },
  { closeDay, retrieveSettlementDeep },
  { webhooks, webhooksWaiting },
  // Those that start servers of their own.
  { requestLog, testKit, startNew, startLater, getPaymentTwoProcesses, createPaymentTwoProcesses },
];
