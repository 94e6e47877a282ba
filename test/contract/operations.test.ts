import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operation.js';
import { listQuery } from '../../src/api/pagination.js';
import { responseSchema } from '../../src/api/routes.js';
import {
  additionalOperations,
  checkoutOperations,
  contractOperations,
  dashboardOperations,
  discoveryOperations,
  oauth2Operations,
  operations,
  productionOperations,
  registerOperations,
  webhookOperations,
} from '../../src/operations.js';
import { nameOf } from './requests.js';

/** Contract 4, row by row, with the permission of each from contract 11.6. */
const CONTRACT = `
v1 createEmployee                POST   /v1/me/employees                                 EMPLOYEES_WRITE
v1 retrieveEmployee              GET    /v1/me/employees/{employee_id}                   EMPLOYEES_READ
v1 updateEmployee                PUT    /v1/me/employees/{employee_id}                   EMPLOYEES_WRITE
v1 listEmployees                 GET    /v1/me/employees                                 EMPLOYEES_READ
v1 createEmployeeRole            POST   /v1/me/roles                                     EMPLOYEES_WRITE
v1 retrieveEmployeeRole          GET    /v1/me/roles/{role_id}                           EMPLOYEES_READ
v1 updateEmployeeRole            PUT    /v1/me/roles/{role_id}                           EMPLOYEES_WRITE
v1 listEmployeeRoles             GET    /v1/me/roles                                     EMPLOYEES_READ
v1 createTimecard                POST   /v1/me/timecards                                 TIMECARDS_WRITE
v1 retrieveTimecard              GET    /v1/me/timecards/{timecard_id}                   TIMECARDS_READ
v1 updateTimecard                PUT    /v1/me/timecards/{timecard_id}                   TIMECARDS_WRITE
v1 deleteTimecard                DELETE /v1/me/timecards/{timecard_id}                   TIMECARDS_WRITE
v1 listTimecards                 GET    /v1/me/timecards                                 TIMECARDS_READ
v1 listTimecardEvents            GET    /v1/me/timecards/{timecard_id}/events            TIMECARDS_READ
v1 listCashDrawerShifts          GET    /v1/{location_id}/cash-drawer-shifts             PAYMENTS_READ
v1 retrieveCashDrawerShift       GET    /v1/{location_id}/cash-drawer-shifts/{shift_id}  TIMECARDS_READ|PAYMENTS_READ
v1 createRefund                  POST   /v1/{location_id}/refunds                        PAYMENTS_WRITE
v1 listRefunds                   GET    /v1/{location_id}/refunds                        PAYMENTS_READ
v1 listPayments                  GET    /v1/{location_id}/payments                       PAYMENTS_READ
v1 retrievePayment               GET    /v1/{location_id}/payments/{payment_id}          PAYMENTS_READ
v1 listOrders                    GET    /v1/{location_id}/orders                         ORDERS_READ
v1 retrieveOrder                 GET    /v1/{location_id}/orders/{order_id}              ORDERS_READ
v1 updateOrder                   PUT    /v1/{location_id}/orders/{order_id}              ORDERS_WRITE
v1 listSettlements               GET    /v1/{location_id}/settlements                    SETTLEMENTS_READ
v1 retrieveSettlement            GET    /v1/{location_id}/settlements/{settlement_id}    SETTLEMENTS_READ
v1 listBankAccounts              GET    /v1/{location_id}/bank-accounts                  BANK_ACCOUNTS_READ
v1 retrieveBankAccount           GET    /v1/{location_id}/bank-accounts/{bank_account_id} BANK_ACCOUNTS_READ
v2 createPayment                 POST   /v2/payments                                     PAYMENTS_WRITE
v2 getPayment                    GET    /v2/payments/{payment_id}                        PAYMENTS_READ
v2 listPayments                  GET    /v2/payments                                     PAYMENTS_READ
v2 completePayment               POST   /v2/payments/{payment_id}/complete               PAYMENTS_WRITE
v2 cancelPayment                 POST   /v2/payments/{payment_id}/cancel                 PAYMENTS_WRITE
v2 cancelPaymentByIdempotencyKey POST   /v2/payments/cancel                              PAYMENTS_WRITE
v2 refundPayment                 POST   /v2/refunds                                      PAYMENTS_WRITE
v2 getPaymentRefund              GET    /v2/refunds/{refund_id}                          PAYMENTS_READ
v2 listPaymentRefunds            GET    /v2/refunds                                      PAYMENTS_READ
v2 listCashDrawerShifts          GET    /v2/cash-drawers/shifts                          CASH_DRAWER_READ
v2 retrieveCashDrawerShift       GET    /v2/cash-drawers/shifts/{shift_id}               CASH_DRAWER_READ
v2 listCashDrawerShiftEvents     GET    /v2/cash-drawers/shifts/{shift_id}/events        CASH_DRAWER_READ
v2 listEmployees                 GET    /v2/employees                                    EMPLOYEES_READ
v2 retrieveEmployee              GET    /v2/employees/{id}                               EMPLOYEES_READ
`
  .trim()
  .split('\n')
  .map((row) => row.split(/ +/).join(' '));

/** Contract 28.11: additional operations next to the 41, with the permissions that the published clients name. */
const NEIGHBOURS = `
v2 listTransactions          GET  /v2/locations/{location_id}/transactions                  PAYMENTS_READ
v2 retrieveTransaction       GET  /v2/locations/{location_id}/transactions/{transaction_id} PAYMENTS_READ
v2 listBankAccounts          GET  /v2/bank-accounts                                         BANK_ACCOUNTS_READ
v2 retrieveBankAccount       GET  /v2/bank-accounts/{bank_account_id}                       BANK_ACCOUNTS_READ
v2 retrieveBankAccountByV1Id GET  /v2/bank-accounts/by-v1-id/{v1_bank_account_id}           BANK_ACCOUNTS_READ
v2 searchShifts              POST /v2/labor/shifts/search                                   TIMECARDS_READ
`
  .trim()
  .split('\n')
  .map((row) => row.split(/ +/).join(' '));

/** Contract 9 rule 2. */
const DEPRECATED = [
  'v1.createTimecard',
  'v1.deleteTimecard',
  'v1.listBankAccounts',
  'v1.listCashDrawerShifts',
  'v1.listTimecardEvents',
  'v1.listTimecards',
  'v1.retrieveBankAccount',
  'v1.retrieveCashDrawerShift',
  'v1.retrieveTimecard',
  'v1.updateTimecard',
];

/** Contract 11.4. */
const OAUTH2 = `
oauth2 obtainToken         POST /oauth2/token                                  ANYONE
oauth2 revokeToken         POST /oauth2/revoke                                 CLIENT
oauth2 renewToken          POST /oauth2/clients/{client_id}/access-token/renew CLIENT
oauth2 retrieveTokenStatus POST /oauth2/token/status                           TOKEN
`
  .trim()
  .split('\n')
  .map((row) => row.split(/ +/).join(' '));

/** Contract 24, and the subscription operations of the current published client. */
const WEBHOOKS = `
v1 listWebhooks                          GET    /v1/{location_id}/webhooks
v1 updateWebhooks                        PUT    /v1/{location_id}/webhooks
v2 listWebhookEventTypes                 GET    /v2/webhooks/event-types
v2 listWebhookSubscriptions              GET    /v2/webhooks/subscriptions
v2 createWebhookSubscription             POST   /v2/webhooks/subscriptions
v2 retrieveWebhookSubscription           GET    /v2/webhooks/subscriptions/{subscription_id}
v2 updateWebhookSubscription             PUT    /v2/webhooks/subscriptions/{subscription_id}
v2 deleteWebhookSubscription             DELETE /v2/webhooks/subscriptions/{subscription_id}
v2 updateWebhookSubscriptionSignatureKey POST   /v2/webhooks/subscriptions/{subscription_id}/signature-key
v2 testWebhookSubscription               POST   /v2/webhooks/subscriptions/{subscription_id}/test
`
  .trim()
  .split('\n')
  .map((row) => `${row.split(/ +/).join(' ')} PAYMENTS_READ|TIMECARDS_READ`);

/** Our own surfaces, with the credential of each operation; `approved` if the account must be approved (decision 0020). */
const OWN = `
dashboard signIn                  POST   /api/dashboard/session                               ANYONE
dashboard showSession             GET    /api/dashboard/session                               OWNER
dashboard signOut                 DELETE /api/dashboard/session                               OWNER
dashboard confirmPassword         POST   /api/dashboard/session/confirm                       OWNER
dashboard changePassword          PUT    /api/dashboard/password                              OWNER
dashboard showDemoSignIn          GET    /api/dashboard/demo-sign-in                          ANYONE
dashboard listSessions            GET    /api/dashboard/sessions                              OWNER
dashboard endSessions             DELETE /api/dashboard/sessions                              OWNER
dashboard endSession              DELETE /api/dashboard/sessions/{session_id}                 OWNER
dashboard listTokens              GET    /api/dashboard/tokens                                OWNER
dashboard createToken             POST   /api/dashboard/tokens                                OWNER
dashboard revokeToken             DELETE /api/dashboard/tokens/{token_id}                     OWNER
dashboard listAuditEvents         GET    /api/dashboard/audit-events                          OWNER
dashboard listEmployees           GET    /api/dashboard/employees                             OWNER approved
dashboard createEmployee          POST   /api/dashboard/employees                             OWNER approved
dashboard retrieveEmployee        GET    /api/dashboard/employees/{employee_id}               OWNER approved
dashboard updateEmployee          PUT    /api/dashboard/employees/{employee_id}               OWNER approved
dashboard activateEmployee        POST   /api/dashboard/employees/{employee_id}/activate      OWNER approved
dashboard deactivateEmployee      POST   /api/dashboard/employees/{employee_id}/deactivate    OWNER approved
dashboard setPasscode             PUT    /api/dashboard/employees/{employee_id}/passcode      OWNER approved
dashboard listRoles               GET    /api/dashboard/roles                                 OWNER approved
dashboard createRole              POST   /api/dashboard/roles                                 OWNER approved
dashboard retrieveRole            GET    /api/dashboard/roles/{role_id}                       OWNER approved
dashboard updateRole              PUT    /api/dashboard/roles/{role_id}                       OWNER approved
dashboard deleteRole              DELETE /api/dashboard/roles/{role_id}                       OWNER approved
dashboard pairDevice              POST   /api/dashboard/devices                               OWNER
dashboard pairDeviceByCode        POST   /api/dashboard/pairings                              OWNER
dashboard renameDevice            PUT    /api/dashboard/devices/{device_id}                   OWNER
dashboard listDevices             GET    /api/dashboard/devices                               OWNER
dashboard listFlaggedWrites       GET    /api/dashboard/flagged-writes                        OWNER
dashboard markReviewed            POST   /api/dashboard/flagged-writes/reviewed               OWNER
dashboard unpairDevice            DELETE /api/dashboard/devices/{device_id}                   OWNER
dashboard retrieveBusiness        GET    /api/dashboard/business                              OWNER
dashboard updateBusiness          PUT    /api/dashboard/business                              OWNER
dashboard createLocation          POST   /api/dashboard/locations                             OWNER
dashboard retrieveLocation        GET    /api/dashboard/locations/{location_id}               OWNER
dashboard updateLocation          PUT    /api/dashboard/locations/{location_id}               OWNER
dashboard retrieveRegisterSettings GET   /api/dashboard/register-settings                     OWNER
dashboard updateRegisterSettings  PUT    /api/dashboard/register-settings                     OWNER
dashboard listSales               GET    /api/dashboard/sales                                 OWNER
dashboard retrieveSale            GET    /api/dashboard/sales/{sale_id}                       OWNER
dashboard quoteRefund             POST   /api/dashboard/sales/{sale_id}/refund-quotes         OWNER
dashboard refundSale              POST   /api/dashboard/sales/{sale_id}/refunds               OWNER
dashboard listOrders              GET    /api/dashboard/orders                                OWNER
dashboard retrieveOrder           GET    /api/dashboard/orders/{order_id}                     OWNER
dashboard updateOrder             PUT    /api/dashboard/orders/{order_id}                     OWNER
dashboard listTimecards           GET    /api/dashboard/timecards                             OWNER approved
dashboard createTimecard          POST   /api/dashboard/timecards                             OWNER approved
dashboard retrieveTimecard        GET    /api/dashboard/timecards/{timecard_id}               OWNER approved
dashboard retrieveSalesReport     GET    /api/dashboard/reports/sales                         OWNER
dashboard retrieveToday           GET    /api/dashboard/reports/today                         OWNER
dashboard updateTimecard          PUT    /api/dashboard/timecards/{timecard_id}               OWNER approved
dashboard closeTimecard           POST   /api/dashboard/timecards/{timecard_id}/close         OWNER approved
dashboard deleteTimecard          DELETE /api/dashboard/timecards/{timecard_id}               OWNER approved
dashboard listHours               GET    /api/dashboard/hours                                 OWNER approved
dashboard listCashDrawerShifts    GET    /api/dashboard/cash-drawer-shifts                    OWNER
dashboard retrieveCashDrawerShift GET    /api/dashboard/cash-drawer-shifts/{shift_id}         OWNER
dashboard listCashOutsideDrawers  GET    /api/dashboard/cash-outside-drawers                  OWNER
dashboard sumCashOutsideDrawers   GET    /api/dashboard/cash-outside-drawers/sum              OWNER
dashboard linkBankAccount         POST   /api/dashboard/bank-accounts                         OWNER
dashboard listBankAccounts        GET    /api/dashboard/bank-accounts                         OWNER
dashboard putBankAccountInForce   POST   /api/dashboard/bank-accounts/{bank_account_id}/put-in-force OWNER
dashboard listSettlements         GET    /api/dashboard/settlements                           OWNER
dashboard retrieveSettlement      GET    /api/dashboard/settlements/{settlement_id}           OWNER
dashboard exportBuyer             POST   /api/dashboard/buyers/export                        OWNER
dashboard eraseBuyer              POST   /api/dashboard/buyers/erase                         OWNER
dashboard retrieveBalance         GET    /api/dashboard/balance                               OWNER
dashboard listDisputes            GET    /api/dashboard/disputes                              OWNER
dashboard listUncapturedPayments  GET    /api/dashboard/uncaptured-payments                   OWNER
dashboard adjustBalance           POST   /api/dashboard/adjustments                           OWNER
dashboard uploadPicture           POST   /api/dashboard/pictures                              OWNER
dashboard retrieveStore           GET    /api/dashboard/stores/{location_id}                  OWNER
dashboard updateStore             PUT    /api/dashboard/stores/{location_id}                  OWNER
dashboard retrieveCatalogue       GET    /api/dashboard/catalogue                             OWNER
dashboard createItem POST /api/dashboard/catalogue/items OWNER
dashboard updateItem PUT /api/dashboard/catalogue/items/{item_id} OWNER
dashboard deleteItem DELETE /api/dashboard/catalogue/items/{item_id} OWNER
dashboard createCategory POST /api/dashboard/catalogue/categories OWNER
dashboard updateCategory PUT /api/dashboard/catalogue/categories/{category_id} OWNER
dashboard deleteCategory DELETE /api/dashboard/catalogue/categories/{category_id} OWNER
dashboard createModifierList POST /api/dashboard/catalogue/modifier-lists OWNER
dashboard updateModifierList PUT /api/dashboard/catalogue/modifier-lists/{modifier_list_id} OWNER
dashboard deleteModifierList DELETE /api/dashboard/catalogue/modifier-lists/{modifier_list_id} OWNER
dashboard createDiscount POST /api/dashboard/catalogue/discounts OWNER
dashboard updateDiscount PUT /api/dashboard/catalogue/discounts/{discount_id} OWNER
dashboard deleteDiscount DELETE /api/dashboard/catalogue/discounts/{discount_id} OWNER
dashboard createTax POST /api/dashboard/catalogue/taxes OWNER
dashboard updateTax PUT /api/dashboard/catalogue/taxes/{tax_id} OWNER
dashboard deleteTax DELETE /api/dashboard/catalogue/taxes/{tax_id} OWNER
dashboard createPublishableKey    POST   /api/dashboard/publishable-keys                      OWNER
dashboard listPublishableKeys     GET    /api/dashboard/publishable-keys                      OWNER
dashboard revokePublishableKey    DELETE /api/dashboard/publishable-keys/{key_id}             OWNER
dashboard registerApplication     POST   /api/dashboard/applications                          OWNER
dashboard listApplications        GET    /api/dashboard/applications                          OWNER
dashboard rotateApplicationSecret POST   /api/dashboard/applications/{application_id}/secret  OWNER
dashboard listAuthorizations      GET    /api/dashboard/authorizations                        OWNER
dashboard revokeAuthorization     DELETE /api/dashboard/authorizations/{application_id}       OWNER
dashboard createWebhookSubscription POST /api/dashboard/applications/{application_id}/webhook-subscriptions OWNER
dashboard listWebhookSubscriptions GET   /api/dashboard/applications/{application_id}/webhook-subscriptions OWNER
dashboard updateWebhookSubscription PUT  /api/dashboard/applications/{application_id}/webhook-subscriptions/{subscription_id} OWNER
dashboard deleteWebhookSubscription DELETE /api/dashboard/applications/{application_id}/webhook-subscriptions/{subscription_id} OWNER
dashboard listMadeSubscriptions   GET    /api/dashboard/webhook-subscriptions                   OWNER
dashboard updateMadeSubscription  PUT    /api/dashboard/webhook-subscriptions/{subscription_id} OWNER
dashboard deleteMadeSubscription  DELETE /api/dashboard/webhook-subscriptions/{subscription_id} OWNER
dashboard rotateMadeSubscriptionKey POST /api/dashboard/webhook-subscriptions/{subscription_id}/signature-key OWNER
dashboard testMadeSubscription    POST   /api/dashboard/webhook-subscriptions/{subscription_id}/test OWNER
dashboard setV1Webhook            PUT    /api/dashboard/applications/{application_id}/v1-webhook OWNER
dashboard listWebhookDeliveries   GET    /api/dashboard/webhook-deliveries                    OWNER
dashboard retrieveWebhookDelivery GET    /api/dashboard/webhook-deliveries/{delivery_id}      OWNER
dashboard replayWebhookDelivery   POST   /api/dashboard/webhook-deliveries/{delivery_id}/replay OWNER
register  requestPairingCode      POST   /api/register/pairing-codes                          ANYONE
register  showPairing             POST   /api/register/pairing-codes/state                    ANYONE
register  answerPairing           POST   /api/register/pairing-codes/answer                   ANYONE
register  showDevice              GET    /api/register/device                                 DEVICE
register  showDemoDevice          GET    /api/register/demo-device                            ANYONE
register  updateDeviceSettings    PUT    /api/register/device/settings                        REGISTER_CHANGE_SETTINGS
register  listTeam                GET    /api/register/team                                   DEVICE
register  showSession             GET    /api/register/session                                EMPLOYEE
register  findSales               GET    /api/register/sale-search                            REGISTER_ACCESS_SALES_HISTORY|REGISTER_ISSUE_REFUNDS
register  listOpenSales           GET    /api/register/open-sales                             EMPLOYEE
register  editSale                PUT    /api/register/sales/{sale_id}                        EMPLOYEE
register  signIn                  POST   /api/register/session                                DEVICE
register  signOut                 DELETE /api/register/session                                EMPLOYEE
register  clockIn                 POST   /api/register/timecards/clock-in                     EMPLOYEE approved
register  clockOut                POST   /api/register/timecards/clock-out                    EMPLOYEE approved
register  showOpenShift           GET    /api/register/cash-drawer-shifts/open                EMPLOYEE
register  listShifts              GET    /api/register/cash-drawer-shifts                     REGISTER_VIEW_SUMMARY_REPORTS
register  showShiftReport         GET    /api/register/cash-drawer-shifts/{shift_id}/report   REGISTER_VIEW_SUMMARY_REPORTS
register  openShift               POST   /api/register/cash-drawer-shifts                     EMPLOYEE
register  noSale                  POST   /api/register/cash-drawer-shifts/{shift_id}/no-sale  REGISTER_OPEN_CASH_DRAWER_OUTSIDE_SALE
register  paidIn                  POST   /api/register/cash-drawer-shifts/{shift_id}/paid-in  REGISTER_OPEN_CASH_DRAWER_OUTSIDE_SALE
register  paidOut                 POST   /api/register/cash-drawer-shifts/{shift_id}/paid-out REGISTER_OPEN_CASH_DRAWER_OUTSIDE_SALE
register  endShift                POST   /api/register/cash-drawer-shifts/{shift_id}/end      EMPLOYEE
register  closeShift              POST   /api/register/cash-drawer-shifts/{shift_id}/close    EMPLOYEE
register  listOrders              GET    /api/register/orders                                 EMPLOYEE
register  showOrder               GET    /api/register/orders/{order_id}                      EMPLOYEE
register  completeOrder           POST   /api/register/orders/{order_id}/complete             EMPLOYEE
register  cancelOrder             POST   /api/register/orders/{order_id}/cancel               EMPLOYEE
register  editItemAtRegister      PUT    /api/register/items/{item_id}                        REGISTER_EDIT_ITEM
register  issueRefund             POST   /api/register/refunds                                REGISTER_ISSUE_REFUNDS
register  listCatalogue           GET    /api/register/catalogue                              DEVICE
register  ringUpSale              POST   /api/register/sales                                  EMPLOYEE
register  giveApproval            POST   /api/register/approvals                              DEVICE
register  sendQueue               POST   /api/register/queue                                  DEVICE
register  listSales               GET    /api/register/sales                                  REGISTER_ACCESS_SALES_HISTORY
register  showSale                GET    /api/register/sales/{sale_id}                        REGISTER_ACCESS_SALES_HISTORY
register  takeTender              POST   /api/register/sales/{sale_id}/tenders                EMPLOYEE
register  cancelSale              POST   /api/register/sales/{sale_id}/cancel                 EMPLOYEE
checkout  showStore               GET    /api/checkout/store                                  SHOPPER
checkout  listItems               GET    /api/checkout/catalogue                              SHOPPER
checkout  priceOrder              POST   /api/checkout/prices                                 SHOPPER
checkout  placeOrder              POST   /api/checkout/orders                                 SHOPPER
checkout  retrieveOrder           GET    /api/checkout/orders/{order_token}                   SHOPPER
checkout  payOrder                POST   /api/checkout/orders/{order_token}/pay               SHOPPER
sandbox   openStore               POST   /api/sandbox/merchants/{merchant_id}/stores          OPERATOR
sandbox   createMerchant          POST   /api/sandbox/merchants                               OPERATOR
sandbox   retrieveMerchant        GET    /api/sandbox/merchants/{merchant_id}                 OPERATOR
sandbox   addBankAccount          POST   /api/sandbox/merchants/{merchant_id}/bank-accounts   OPERATOR
sandbox   setApproval             PUT    /api/sandbox/merchants/{merchant_id}/approval        OPERATOR
sandbox   retrieveClock           GET    /api/sandbox/merchants/{merchant_id}/clock           OPERATOR
sandbox   changeClock             POST   /api/sandbox/merchants/{merchant_id}/clock           OPERATOR
sandbox   createToken             POST   /api/sandbox/merchants/{merchant_id}/tokens          OPERATOR
sandbox   expireToken             POST   /api/sandbox/tokens/expire                           OPERATOR
sandbox   addProcessorRule        POST   /api/sandbox/merchants/{merchant_id}/processor-rules OPERATOR
sandbox   listProcessorRules      GET    /api/sandbox/merchants/{merchant_id}/processor-rules OPERATOR
sandbox   clearProcessorRules     DELETE /api/sandbox/merchants/{merchant_id}/processor-rules OPERATOR
sandbox   addFault                POST   /api/sandbox/faults                                  OPERATOR
sandbox   listFaults              GET    /api/sandbox/faults                                  OPERATOR
sandbox   clearFaults             DELETE /api/sandbox/faults                                  OPERATOR
sandbox   failSettlement          POST   /api/sandbox/merchants/{merchant_id}/settlements/{settlement_id}/fail OPERATOR
sandbox   placeHold               POST   /api/sandbox/merchants/{merchant_id}/payments/{payment_id}/hold OPERATOR
sandbox   releaseHold             DELETE /api/sandbox/merchants/{merchant_id}/payments/{payment_id}/hold OPERATOR
sandbox   adjustBalance           POST   /api/sandbox/merchants/{merchant_id}/adjustments     OPERATOR
sandbox   createApplication       POST   /api/sandbox/applications                            OPERATOR
sandbox   createAuthorization     POST   /api/sandbox/merchants/{merchant_id}/authorizations  OPERATOR
sandbox   revokeAuthorization     DELETE /api/sandbox/merchants/{merchant_id}/authorizations/{application_id} OPERATOR
sandbox   openRegister            POST   /api/sandbox/merchants/{merchant_id}/registers       OPERATOR
sandbox   updateRegisterSettings  PUT    /api/sandbox/merchants/{merchant_id}/register-settings OPERATOR
sandbox   createWebhookSubscription POST /api/sandbox/applications/{application_id}/webhook-subscriptions OPERATOR
sandbox   setV1Webhook            PUT    /api/sandbox/applications/{application_id}/v1-webhook OPERATOR
sandbox   listWebhookDeliveries   GET    /api/sandbox/merchants/{merchant_id}/webhook-deliveries OPERATOR
sandbox   retrieveWebhookDelivery GET    /api/sandbox/merchants/{merchant_id}/webhook-deliveries/{delivery_id} OPERATOR
sandbox   replayWebhookDelivery   POST   /api/sandbox/merchants/{merchant_id}/webhook-deliveries/{delivery_id}/replay OPERATOR
sandbox   resendWebhookEvent      POST   /api/sandbox/merchants/{merchant_id}/webhook-events/{event_id}/resend OPERATOR
sandbox   hurryWebhookDeliveries  POST   /api/sandbox/merchants/{merchant_id}/webhooks/hurry OPERATOR
sandbox   listMerchants           GET    /api/sandbox/merchants                               OPERATOR
sandbox   listTokens              GET    /api/sandbox/merchants/{merchant_id}/tokens          OPERATOR
sandbox   expireTokenById         POST   /api/sandbox/merchants/{merchant_id}/tokens/{token_id}/expire OPERATOR
sandbox   listApplications        GET    /api/sandbox/applications                            OPERATOR
sandbox   listAuthorizations      GET    /api/sandbox/merchants/{merchant_id}/authorizations  OPERATOR
sandbox   listWebhookSubscriptions GET   /api/sandbox/merchants/{merchant_id}/webhook-subscriptions OPERATOR
sandbox   listDueWork             GET    /api/sandbox/merchants/{merchant_id}/due-work        OPERATOR
sandbox   removeFault             DELETE /api/sandbox/faults/{fault_id}                       OPERATOR
sandbox   removeProcessorRule     DELETE /api/sandbox/merchants/{merchant_id}/processor-rules/{rule_id} OPERATOR
sandbox   takeSnapshot            POST   /api/sandbox/merchants/{merchant_id}/snapshot        OPERATOR
sandbox   retrieveSnapshot        GET    /api/sandbox/merchants/{merchant_id}/snapshot        OPERATOR
sandbox   resetMerchant           POST   /api/sandbox/merchants/{merchant_id}/reset           OPERATOR
sandbox   receiveWebhook          POST   /api/sandbox/receiver/{receiver}                     ANYONE
sandbox   openReceiver            POST   /api/sandbox/merchants/{merchant_id}/receiver        OPERATOR
sandbox   checkSignature          POST   /api/sandbox/merchants/{merchant_id}/webhook-deliveries/{delivery_id}/check-signature OPERATOR
sandbox   showSession             GET    /api/sandbox/session                                 ANYONE
sandbox   signIn                  POST   /api/sandbox/session                                 ANYONE
sandbox   signOut                 DELETE /api/sandbox/session                                 ANYONE
sandbox   listRequests            GET    /api/sandbox/requests                                OPERATOR
sandbox   retrieveRequest         GET    /api/sandbox/requests/{request_id}                   OPERATOR
sandbox   resendRequest           POST   /api/sandbox/requests/{request_id}/resend            OPERATOR
sandbox   clearRequests           DELETE /api/sandbox/requests                                OPERATOR
`
  .trim()
  .split('\n')
  .map((row) => row.split(/ +/).join(' '));

function permissionOf({ permission }: Operation): string {
  if (typeof permission === 'string') return permission;
  return 'anyOf' in permission ? permission.anyOf.join('|') : permission.always;
}

describe('the contract', () => {
  it('is exactly the 41 operations of contract 4, each with its method, path and permission (contract 11.6)', () => {
    const declared = contractOperations.map((each) =>
      [each.surface, each.name, each.method, each.path, permissionOf(each)].join(' '),
    );
    expect(CONTRACT).toHaveLength(41);
    expect([...declared].sort()).toEqual([...CONTRACT].sort());
  });

  it('deprecates the ten operations of contract 9 from 2020-02-26, retired 2021-02-26, and no others', () => {
    const deprecated = operations.filter((each) => each.deprecated);
    expect(deprecated.map(nameOf).sort()).toEqual(DEPRECATED);
    for (const each of deprecated) expect(each.deprecated).toEqual({ since: '2020-02-26', retired: '2021-02-26' });
  });

  it('requires an approved account for employees, roles and timecards, wherever they are changed (decision 0020)', () => {
    const needing = operations.filter((each) => each.requires === 'EMPLOYEE_MANAGEMENT').map(({ path }) => path);
    const concerned = operations
      .map(({ path }) => path)
      .filter((path) =>
        /^\/v1\/me\/(?:employees|roles|timecards)\b|^\/v2\/labor\b|^\/api\/dashboard\/(?:employees|roles|timecards|hours)\b|^\/api\/register\/timecards\b/.test(
          path,
        ),
      );
    expect(needing).toEqual(concerned);
    expect(needing).toHaveLength(14 + 1 + 19 + 2);
  });

  it('requires a second permission when a body has an application fee (contract 5 rule 2), and nowhere else', () => {
    const depending = operations.filter(
      ({ permission }) => typeof permission === 'object' && 'withField' in permission,
    );
    expect(depending.map(nameOf)).toEqual(['v2.createPayment', 'v2.refundPayment']);
    const withField = { name: 'app_fee_money', permission: 'PAYMENTS_WRITE_ADDITIONAL_RECIPIENTS' };
    for (const { permission } of depending) expect(permission).toEqual({ always: 'PAYMENTS_WRITE', withField });
  });

  it('has pages as contract 8 and decision 0009 specify', () => {
    const rules = contractOperations.flatMap((each) =>
      each.page ? [[nameOf(each), each.page.token, each.page.limit]] : [],
    );
    expect(rules.length).toBeGreaterThan(0);
    for (const [name, token, limit] of rules) {
      expect([name, token, limit], String(name)).toEqual([name, ...(PAGES[String(name)] ?? ['no such list'])]);
    }
    // Every list that has pages is declared with them.
    const named = contractOperations.filter((each) => nameOf(each) in PAGES);
    expect(named.filter((each) => !each.page).map(nameOf)).toEqual([]);
  });
});

const V1_PAGE = ['batch_token', { default: 100, max: 200, over: 'refuse' }];
const DRAWER_PAGE = ['cursor', { default: 200, max: 1000, over: 'refuse' }];
const V2_PAGE = ['cursor', { default: 100, max: 100, over: 'cap' }];

const PAGES: Readonly<Record<string, readonly unknown[]>> = {
  'v1.listEmployees': V1_PAGE,
  'v1.listEmployeeRoles': V1_PAGE,
  'v1.listTimecards': V1_PAGE,
  'v1.listPayments': V1_PAGE,
  'v1.listRefunds': V1_PAGE,
  'v1.listOrders': V1_PAGE,
  'v1.listSettlements': V1_PAGE,
  'v2.listPayments': V2_PAGE,
  'v2.listPaymentRefunds': V2_PAGE,
  'v2.listCashDrawerShifts': DRAWER_PAGE,
  'v2.listCashDrawerShiftEvents': DRAWER_PAGE,
  'v2.listEmployees': ['cursor', { default: 50, max: 50, over: 'cap' }],
};

const ajv = new Ajv({ strict: false });

/** The places where a schema is not valid JSON Schema. The program does not check this (src/api/validators.ts). */
function invalid(schema: object): string[] {
  ajv.validateSchema(schema);
  return (ajv.errors ?? []).map(({ instancePath }) => instancePath);
}

describe('every declaration', () => {
  it('has a name that is unique on its surface', () => {
    expect(new Set(operations.map(nameOf)).size).toBe(operations.length);
  });

  it('has a method and path that no other has', () => {
    const routes = operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
    expect(new Set(routes).size).toBe(operations.length);
  });

  it('is under the path of its surface: the published ones at the root, our own JSON under /api', () => {
    const published = ['v1', 'v2', 'oauth2'];
    for (const { surface, path } of operations) {
      const root = published.includes(surface) ? `/${surface}/` : `/api/${surface}/`;
      expect(path.startsWith(root), path).toBe(true);
    }
  });

  it('has a summary of one sentence', () => {
    for (const { summary } of operations) expect(summary).toMatch(/^[A-Z].*\.$/);
  });

  it.each(operations.map((each) => [nameOf(each), each] as const))(
    '%s has only valid schemas with a type',
    (_, each) => {
      const query = each.page ? listQuery(each, each.page) : each.query;
      for (const [part, schema] of Object.entries({ query, body: each.body, response: responseSchema(each) })) {
        if (schema === undefined) continue;
        expect(untyped(schema, part)).toEqual([]);
        expect(invalid(schema)).toEqual([]);
      }
    },
  );

  it('would be found with an invalid schema', () => {
    expect(invalid({ type: 'string', maxLength: -1 })).toEqual(['/maxLength']);
    expect(invalid({ type: 'text' })).toContain('/type');
  });
});

describe('the lists in src/operations.ts', () => {
  it('contain every operation once', () => {
    const sandbox = operations.filter(({ surface }) => surface === 'sandbox');
    const parts = [
      ...contractOperations,
      ...additionalOperations,
      ...discoveryOperations,
      ...oauth2Operations,
      ...webhookOperations,
      ...dashboardOperations,
      ...registerOperations,
      ...checkoutOperations,
      ...sandbox,
    ];
    expect(operations.map(nameOf)).toEqual(parts.map(nameOf));
    expect(new Set(operations).size).toBe(operations.length);
    for (const [index, each] of operations.entries()) expect(each === parts[index], nameOf(each)).toBe(true);
  });

  it('contain exactly our own surfaces besides the contract and discovery, each operation with its credential', () => {
    const own = operations.filter(({ surface }) => surface !== 'v1' && surface !== 'v2' && surface !== 'oauth2');
    const rows = own.map((each) =>
      [
        each.surface,
        each.name,
        each.method,
        each.path,
        permissionOf(each),
        ...(each.requires ? ['approved'] : []),
      ].join(' '),
    );
    expect([...rows].sort()).toEqual([...OWN].sort());
  });

  it('omit the sandbox in production, and nothing else (decision 0050)', () => {
    const published = [...contractOperations, ...additionalOperations, ...discoveryOperations];
    const around = [...oauth2Operations, ...webhookOperations];
    const offered = [...published, ...around, ...dashboardOperations, ...registerOperations, ...checkoutOperations];
    expect(productionOperations.map(nameOf)).toEqual(offered.map(nameOf));
  });

  it('contain the operations with which applications obtain tokens (contract 11.4)', () => {
    const rows = oauth2Operations.map((each) =>
      [each.surface, each.name, each.method, each.path, permissionOf(each)].join(' '),
    );
    expect(rows).toEqual(OAUTH2);
  });

  it('contain the webhook operations (contract 24)', () => {
    const rows = webhookOperations.map((each) =>
      [each.surface, each.name, each.method, each.path, permissionOf(each)].join(' '),
    );
    expect(rows).toEqual(WEBHOOKS);
  });

  it('contain the additional operations, and mark nothing else as beyond the contract (decision 0103)', () => {
    const rows = additionalOperations.map((each) =>
      [each.surface, each.name, each.method, each.path, permissionOf(each)].join(' '),
    );
    expect(rows).toEqual(NEIGHBOURS);
    expect(operations.filter((each) => each.beyondContract)).toEqual(additionalOperations);
  });

  it('contain the discovery operations that clients call first (contract 25)', () => {
    const rows = discoveryOperations.map((each) => `${each.method} ${each.path} ${permissionOf(each)}`);
    expect(rows).toEqual([
      'GET /v1/me MERCHANT_PROFILE_READ',
      'GET /v1/me/locations MERCHANT_PROFILE_READ',
      'GET /v2/locations MERCHANT_PROFILE_READ',
      'GET /v2/locations/{location_id} MERCHANT_PROFILE_READ',
      'GET /v2/merchants MERCHANT_PROFILE_READ',
      'GET /v2/merchants/{merchant_id} MERCHANT_PROFILE_READ',
    ]);
  });
});

describe('the walk over schemas', () => {
  it('finds a schema that accepts anything, at any depth', () => {
    const hidden = { type: 'object', properties: { a: { type: 'array', items: {} }, b: { description: 'any' } } };
    expect(untyped(hidden, 'body')).toEqual(['body.a[]', 'body.b']);
    expect(untyped({ type: 'array' }, 'body')).toEqual(['body[]']);
    expect(untyped({ anyOf: [{ type: 'string' }, {}] }, 'query')).toEqual(['query|1']);
    expect(untyped({ type: 'object', patternProperties: { '^.*$': {} } }, 'body')).toEqual(['body{^.*$}']);
  });
});

/** The places of a schema that accept any value. */
function untyped(schema: unknown, at: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [at];
  const node = schema as Record<string, unknown>;
  const branches = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => (node[key] as unknown[] | undefined) ?? []);
  if (branches.length > 0) return branches.flatMap((branch, index) => untyped(branch, `${at}|${index}`));
  if ('const' in node) return [];
  if (typeof node['type'] !== 'string') return [at];
  const children = [
    ...Object.entries((node['properties'] as object | undefined) ?? {}).map(([name, child]) => [
      `${at}.${name}`,
      child,
    ]),
    ...Object.entries((node['patternProperties'] as object | undefined) ?? {}).map(([name, child]) => [
      `${at}{${name}}`,
      child,
    ]),
    ...(node['type'] === 'array' ? [[`${at}[]`, node['items'] ?? {}]] : []),
  ] as const;
  return children.flatMap(([place, child]) => untyped(child, String(place)));
}
