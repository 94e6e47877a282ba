/** A composed request as a program in JavaScript that uses the package `square`. */
import { type Composed, pathOf, queryOf, SCHEMES, SESSION_HEADER } from './composed.js';

const PACKAGE = 'square';

/** The function for operations without one of their own: it sends any request. */
const ANY = 'fetch';

/** The operations for which the package has a function. Those of v1 have none. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  'v2.createPayment': 'payments.create',
  'v2.listPayments': 'payments.list',
  'v2.cancelPaymentByIdempotencyKey': 'payments.cancelByIdempotencyKey',
  'v2.getPayment': 'payments.get',
  'v2.cancelPayment': 'payments.cancel',
  'v2.completePayment': 'payments.complete',
  'v2.refundPayment': 'refunds.refundPayment',
  'v2.listPaymentRefunds': 'refunds.list',
  'v2.getPaymentRefund': 'refunds.get',
  'v2.listCashDrawerShifts': 'cashDrawers.shifts.list',
  'v2.retrieveCashDrawerShift': 'cashDrawers.shifts.get',
  'v2.listCashDrawerShiftEvents': 'cashDrawers.shifts.listEvents',
  'v2.listEmployees': 'employees.list',
  'v2.retrieveEmployee': 'employees.get',
  'v2.listTransactions': 'locations.transactions.list',
  'v2.retrieveTransaction': 'locations.transactions.get',
  'v2.listBankAccounts': 'bankAccounts.list',
  'v2.retrieveBankAccount': 'bankAccounts.get',
  'v2.retrieveBankAccountByV1Id': 'bankAccounts.getByV1Id',
  'v2.searchShifts': 'labor.shifts.search',
  'v2.listLocations': 'locations.list',
  'v2.retrieveLocation': 'locations.get',
  'v2.listMerchants': 'merchants.list',
  'v2.retrieveMerchant': 'merchants.get',
  'v2.listWebhookEventTypes': 'webhooks.eventTypes.list',
  'v2.listWebhookSubscriptions': 'webhooks.subscriptions.list',
  'v2.createWebhookSubscription': 'webhooks.subscriptions.create',
  'v2.retrieveWebhookSubscription': 'webhooks.subscriptions.get',
  'v2.updateWebhookSubscription': 'webhooks.subscriptions.update',
  'v2.deleteWebhookSubscription': 'webhooks.subscriptions.delete',
  'v2.updateWebhookSubscriptionSignatureKey': 'webhooks.subscriptions.updateSignatureKey',
  'v2.testWebhookSubscription': 'webhooks.subscriptions.test',
  'oauth2.obtainToken': 'oAuth.obtainToken',
  'oauth2.revokeToken': 'oAuth.revokeToken',
  'oauth2.retrieveTokenStatus': 'oAuth.retrieveTokenStatus',
};

export function asJavaScript(composed: Composed, baseUrl: string): string {
  const { scheme, name } = composed.operation;
  // The package requires a token, also for operations that need none.
  const isToken = scheme !== undefined && SCHEMES[scheme].word === 'Bearer';
  const token = isToken ? `process.env.${SCHEMES[scheme].variable}` : "''";
  const called = FUNCTIONS[name];
  return [
    `import { SquareClient } from ${quote(PACKAGE)};`,
    '',
    `const client = new SquareClient({ baseUrl: ${quote(baseUrl)}, token: ${token} });`,
    ...(called === undefined ? printFetch(composed, baseUrl) : printCall(called, composed)),
    '',
  ].join('\n');
}

function printCall(called: string, composed: Composed): string[] {
  const { operation, values, body } = composed;
  const inPath = operation.parameters
    .filter((each) => each.in === 'path')
    .map(({ name }) => [name, values[name] ?? '']);
  const inQuery = queryOf(composed).map(([name, value]) => [name, typed(composed, name, value)]);
  const input = { ...Object.fromEntries([...inPath, ...inQuery]), ...(body as object | undefined) };
  const parts = [
    ...(Object.keys(input).length > 0 ? [printValue(input)] : []),
    ...(operation.scheme === 'clientSecret' ? [`{ headers: { Authorization: ${secretHeader()} } }`] : []),
  ];
  return [`const response = await client.${called}(${parts.join(', ')});`, 'console.log(response);'];
}

function printFetch(composed: Composed, baseUrl: string): string[] {
  const { operation, body } = composed;
  const headers = [
    ...(operation.scheme === 'clientSecret' ? [`Authorization: ${secretHeader()}`] : []),
    ...(operation.scheme === 'deviceToken' ? [`'${SESSION_HEADER.name}': process.env.${SESSION_HEADER.variable}`] : []),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json'"]),
  ];
  const options = [
    ...(operation.method === 'GET' ? [] : [`method: '${operation.method}'`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} }`] : []),
    ...(body === undefined
      ? []
      : [`body: JSON.stringify(${printValue(body, { isWire: true }).replaceAll('\n', '\n  ')})`]),
  ];
  const given = options.length === 0 ? '' : `, {\n${options.map((option) => `  ${option},\n`).join('')}}`;
  // Without the base URL, the package escapes the question mark.
  const address = queryOf(composed).length > 0 ? baseUrl + pathOf(composed) : pathOf(composed);
  return [`const response = await client.${ANY}(${quote(address)}${given});`, 'console.log(await response.json());'];
}

function secretHeader(): string {
  const { word, variable } = SCHEMES.clientSecret;
  return `\`${word} \${process.env.${variable}}\``;
}

/** A parameter of the query is text; the package expects the type of its schema. */
function typed({ operation }: Composed, name: string, value: string): unknown {
  const type = operation.parameters.find((each) => each.name === name)?.schema.type;
  if (type === 'integer' && /^-?\d+$/.test(value)) return Number(value);
  return type === 'boolean' && /^(?:true|false)$/.test(value) ? value === 'true' : value;
}

interface PrintOptions {
  /** Prints what is sent. The package's own functions expect names in camel case, and big integers for amounts. */
  readonly isWire?: boolean;
}

function printValue(value: unknown, options: PrintOptions = {}, name = ''): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number' && name === 'amount' && !options.isWire) return `${value}n`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const parts = Array.isArray(value)
    ? value.map((each) => printValue(each, options))
    : Object.entries(value).map(([key, each]) => `${printName(key, options)}: ${printValue(each, options, key)}`);
  if (parts.length === 0) return `${open}${close}`;
  return `${open}\n${parts.map((part) => `  ${part.replaceAll('\n', '\n  ')},`).join('\n')}\n${close}`;
}

function printName(name: string, { isWire = false }: PrintOptions): string {
  const printed = isWire ? name : name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return /^[A-Za-z_$][\w$]*$/.test(printed) ? printed : quote(printed);
}

function quote(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
