/** The list of all operations and pages of the server. */
import { dashboardAccountOperations } from './access/dashboard/account.operations.js';
import { dashboardSessionOperations } from './access/dashboard/sign-in.operations.js';
import { dashboardDeviceOperations } from './access/devices/dashboard.operations.js';
import { dashboardFlagOperations } from './access/devices/flags.operations.js';
import { dashboardPublishableKeyOperations } from './access/devices/publishable-keys.operations.js';
import { registerDeviceOperations } from './access/devices/register.operations.js';
import { dashboardApplicationOperations } from './access/oauth/applications.operations.js';
import { authorizePages } from './access/oauth/authorize.page.js';
import { tokenOperations } from './access/oauth/oauth2.operations.js';
import { serverMetadataPage } from './access/oauth/server-metadata.page.js';
import type { Operation } from './api/operation.js';
import type { Page } from './api/pages.js';
import { registerAttendantOperations } from './business/attendants/register.operations.js';
import { dashboardBankAccountOperations } from './business/bank-accounts/dashboard.operations.js';
import { v1BankAccountOperations } from './business/bank-accounts/v1.operations.js';
import { v2BankAccountOperations } from './business/bank-accounts/v2.operations.js';
import { dashboardBuyerOperations } from './business/buyers/dashboard.operations.js';
import { dashboardCashDrawerOperations } from './business/cash-drawers/dashboard.operations.js';
import { outsideDrawersOperations } from './business/cash-drawers/outside.operations.js';
import { registerCashDrawerOperations } from './business/cash-drawers/register.operations.js';
import { v1CashDrawerOperations } from './business/cash-drawers/v1.operations.js';
import { v2CashDrawerOperations } from './business/cash-drawers/v2.operations.js';
import { dashboardCatalogueOperations } from './business/catalogue/dashboard.operations.js';
import { dashboardCataloguePartOperations } from './business/catalogue/dashboard-parts.operations.js';
import { registerCatalogueOperations } from './business/catalogue/register.operations.js';
import { dashboardEmployeeOperations } from './business/employees/dashboard.operations.js';
import { v1EmployeeOperations } from './business/employees/v1.operations.js';
import { v2EmployeeOperations } from './business/employees/v2.operations.js';
import { dashboardHoldOperations } from './business/holds/dashboard.operations.js';
import { dashboardMerchantOperations } from './business/merchants/dashboard.operations.js';
import { registerMerchantOperations } from './business/merchants/register.operations.js';
import { v1MerchantOperations } from './business/merchants/v1.operations.js';
import { v2MerchantOperations } from './business/merchants/v2.operations.js';
import { checkoutOrderOperations } from './business/orders/checkout.operations.js';
import { dashboardOrderOperations } from './business/orders/dashboard.operations.js';
import { receiptPage } from './business/orders/receipt.page.js';
import { registerOrderOperations } from './business/orders/register.operations.js';
import { v1OrderOperations } from './business/orders/v1.operations.js';
import { dashboardSaleOperations } from './business/paid-sales/dashboard.operations.js';
import { registerFoundSaleOperations } from './business/paid-sales/register.operations.js';
import { v1SaleOperations } from './business/paid-sales/v1.operations.js';
import { v2TransactionOperations } from './business/paid-sales/v2.operations.js';
import { dashboardPaymentOperations } from './business/payments/dashboard.operations.js';
import { v2PaymentOperations } from './business/payments/v2.operations.js';
import { dashboardPictureOperations } from './business/pictures/dashboard.operations.js';
import { picturePage } from './business/pictures/picture.page.js';
import { registerQueueOperations } from './business/queue/register.operations.js';
import { dashboardRefundOperations } from './business/refunds/dashboard.operations.js';
import { registerRefundOperations } from './business/refunds/register.operations.js';
import { v1RefundOperations } from './business/refunds/v1.operations.js';
import { v2RefundOperations } from './business/refunds/v2.operations.js';
import { dashboardReportOperations } from './business/reports/dashboard.operations.js';
import { dashboardRoleOperations } from './business/roles/dashboard.operations.js';
import { v1RoleOperations } from './business/roles/v1.operations.js';
import { dashboardSettlementOperations } from './business/settlements/dashboard.operations.js';
import { v1SettlementOperations } from './business/settlements/v1.operations.js';
import { checkoutStoreOperations } from './business/stores/checkout.operations.js';
import { dashboardStoreOperations } from './business/stores/dashboard.operations.js';
import { storePages } from './business/stores/store.page.js';
import { registerSaleOperations } from './business/tills/register.operations.js';
import { dashboardTimecardOperations } from './business/timecards/dashboard.operations.js';
import { registerTimecardOperations } from './business/timecards/register.operations.js';
import { v1TimecardOperations } from './business/timecards/v1.operations.js';
import { v2ShiftOperations } from './business/timecards/v2.operations.js';
import { dashboardDemoOperations } from './demo/dashboard.operations.js';
import { demoTokenPage } from './demo/docs.page.js';
import { registerDemoOperations } from './demo/register.operations.js';
import { demoRegisterPage } from './demo/register.page.js';
import { demoSignInPage } from './demo/sign-in.page.js';
import { dashboardWebhookOperations } from './events/dashboard.operations.js';
import { madeSubscriptionOperations } from './events/made-subscriptions.operations.js';
import { v1WebhookOperations } from './events/v1.operations.js';
import { v2WebhookOperations } from './events/v2.operations.js';
import { sandboxApplicationOperations } from './sandbox/applications.operations.js';
import { sandboxDirectoryOperations } from './sandbox/directory.operations.js';
import { sandboxFaultOperations } from './sandbox/faults.operations.js';
import { sandboxProcessorOperations } from './sandbox/processor.operations.js';
import { sandboxReceiverOperations } from './sandbox/receiver.operations.js';
import { sandboxRegisterOperations } from './sandbox/registers.operations.js';
import { sandboxRequestOperations } from './sandbox/requests.operations.js';
import { sandboxMerchantOperations } from './sandbox/sandbox.operations.js';
import { sandboxSessionOperations } from './sandbox/session.operations.js';
import { sandboxSettlementOperations } from './sandbox/settlements.operations.js';
import { sandboxSingleRuleOperations } from './sandbox/single-rules.operations.js';
import { sandboxSnapshotOperations } from './sandbox/snapshots.operations.js';
import { sandboxStoreOperations } from './sandbox/stores.operations.js';
import { sandboxWebhookOperations } from './sandbox/webhooks.operations.js';

/** The 41 operations of the contract (contract 4). */
export const contractOperations: readonly Operation[] = [
  ...v1EmployeeOperations,
  ...v1RoleOperations,
  ...v1TimecardOperations,
  ...v1CashDrawerOperations,
  ...v1SaleOperations,
  ...v1RefundOperations,
  ...v1OrderOperations,
  ...v1SettlementOperations,
  ...v1BankAccountOperations,
  ...v2PaymentOperations,
  ...v2RefundOperations,
  ...v2CashDrawerOperations,
  ...v2EmployeeOperations,
];

/** Operations beyond the contract that clients of this API also call; all are read-only (decision 0103). */
export const additionalOperations: readonly Operation[] = [
  ...v2TransactionOperations,
  ...v2BankAccountOperations,
  ...v2ShiftOperations,
];

/** Merchants and locations, which clients look up first. */
export const discoveryOperations: readonly Operation[] = [...v1MerchantOperations, ...v2MerchantOperations];

export const oauth2Operations: readonly Operation[] = tokenOperations;

export const webhookOperations: readonly Operation[] = [...v1WebhookOperations, ...v2WebhookOperations];

/** Keeps the types of its operations: the pages' client is computed from them. */
export const dashboardOperations = [
  ...dashboardSessionOperations,
  ...dashboardDemoOperations,
  ...dashboardAccountOperations,
  ...dashboardEmployeeOperations,
  ...dashboardRoleOperations,
  ...dashboardDeviceOperations,
  ...dashboardFlagOperations,
  ...dashboardMerchantOperations,
  ...dashboardSaleOperations,
  ...dashboardRefundOperations,
  ...dashboardOrderOperations,
  ...dashboardReportOperations,
  ...dashboardTimecardOperations,
  ...dashboardBuyerOperations,
  ...dashboardCashDrawerOperations,
  ...outsideDrawersOperations,
  ...dashboardBankAccountOperations,
  ...dashboardSettlementOperations,
  ...dashboardHoldOperations,
  ...dashboardPaymentOperations,
  ...dashboardApplicationOperations,
  ...dashboardCatalogueOperations,
  ...dashboardCataloguePartOperations,
  ...dashboardPictureOperations,
  ...dashboardStoreOperations,
  ...dashboardPublishableKeyOperations,
  ...dashboardWebhookOperations,
  ...madeSubscriptionOperations,
];

/** Keeps the types of its operations, like those of the dashboard. */
export const registerOperations = [
  ...registerDeviceOperations,
  ...registerDemoOperations,
  ...registerMerchantOperations,
  ...registerAttendantOperations,
  ...registerTimecardOperations,
  ...registerCashDrawerOperations,
  ...registerCatalogueOperations,
  ...registerSaleOperations,
  ...registerFoundSaleOperations,
  ...registerRefundOperations,
  ...registerOrderOperations,
  ...registerQueueOperations([
    ...registerTimecardOperations,
    ...registerCashDrawerOperations,
    ...registerSaleOperations,
    ...registerRefundOperations,
  ]),
];

/** Keeps the types of its operations: the client of the store's page is computed from them. */
export const checkoutOperations = [...checkoutStoreOperations, ...checkoutOrderOperations];

/** Keeps the types of its operations: the console's client is computed from them. */
export const sandboxOperations = [
  ...sandboxMerchantOperations,
  ...sandboxProcessorOperations,
  ...sandboxFaultOperations,
  ...sandboxSettlementOperations,
  ...sandboxApplicationOperations,
  ...sandboxRegisterOperations,
  ...sandboxStoreOperations,
  ...sandboxWebhookOperations,
  ...sandboxDirectoryOperations,
  ...sandboxSingleRuleOperations,
  ...sandboxSnapshotOperations,
  ...sandboxReceiverOperations,
  ...sandboxSessionOperations,
  ...sandboxRequestOperations,
];

export const operations: readonly Operation[] = [
  ...contractOperations,
  ...additionalOperations,
  ...discoveryOperations,
  ...oauth2Operations,
  ...webhookOperations,
  ...dashboardOperations,
  ...registerOperations,
  ...checkoutOperations,
  ...sandboxOperations,
];

/**
 * Pages besides those of `api/docs.ts` and `api/web.ts`: the authorization page of OAuth and its metadata, the sign-in, register and token
 * of the demo, pictures, receipts, and the pages of stores.
 */
export const pages: readonly Page[] = [
  ...authorizePages,
  serverMetadataPage,
  demoSignInPage,
  demoRegisterPage,
  demoTokenPage,
  picturePage,
  receiptPage,
  ...storePages,
];

/** Production mode has no sandbox surface (decision 0050). */
export const productionOperations: readonly Operation[] = operations.filter(({ surface }) => surface !== 'sandbox');
