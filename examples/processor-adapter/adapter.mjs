/**
 * An adapter: connects Tillhouse with a card processor, over the HTTP contract of docs/processor.md. Start it next to the server:
 *
 *   export TILLHOUSE_PROCESSOR_SECRET=$(openssl rand -hex 32)
 *   node examples/processor-adapter/adapter.mjs            # PORT, default 4100; ADAPTER_JOURNAL, default adapter-journal.jsonl
 *   tillhouse processor check http://127.0.0.1:4100
 *   tillhouse serve --processor http://127.0.0.1:4100
 *
 * It moves no money. Replace `askProcessor` with calls to your processor, and pass the key on as its idempotency key.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';

/** One secret, or two that are separated by a comma while one is replaced by the other. */
const SECRETS = (process.env.TILLHOUSE_PROCESSOR_SECRET ?? '').split(',').filter(Boolean);
const PORT = Number(process.env.PORT ?? 4100);
const JOURNAL = process.env.ADAPTER_JOURNAL ?? 'adapter-journal.jsonl';
if (SECRETS.length === 0) throw new Error('TILLHOUSE_PROCESSOR_SECRET is required.');

const MEMBERS = {
  authorize: ['source_id', 'amount_money', 'accept_partial', 'capture'],
  capture: [],
  void: [],
  refund: ['amount_money'],
};

// ---- The processor. This one only keeps books.

/** What each payment holds, has taken and has given back, by merchant and payment. */
const payments = new Map();
/** Every payment and refund, oldest first, as `GET /records` lists them. */
const records = [];
const nameOf = ({ merchant_id, payment_id }) => `${merchant_id}:${payment_id}`;

const VISA = {
  brand: 'VISA',
  last_4: '4242',
  exp_month: 12,
  exp_year: 2032,
  type: 'CREDIT',
  prepaid_type: 'NOT_PREPAID',
};

/** Decides the outcome. A real adapter calls its processor here, with the key of the call, which takes time. */
async function askProcessor(action, body) {
  const payment = payments.get(nameOf(body));
  const amount = body.amount_money?.amount;
  switch (action) {
    case 'authorize':
      if (body.source_id.endsWith('declined')) return { outcome: 'declined', code: 'GENERIC_DECLINE', card: VISA };
      if (!body.source_id.endsWith('ok')) return { outcome: 'unusable', reason: 'UNKNOWN_SOURCE' };
      return { outcome: 'approved', amount, card: VISA, ...(body.capture && { fee: feeOf(amount) }) };
    case 'capture':
      return payment?.held > 0 ? { outcome: 'captured', fee: feeOf(payment.held) } : { outcome: 'refused' };
    case 'void':
      return { outcome: 'voided' };
    case 'refund':
      return { outcome: payment && payment.taken - payment.returned >= amount ? 'refunded' : 'failed' };
  }
}

const feeOf = (amount) => Math.round(amount * 0.014) + 10;

/** Applies an outcome to the books. */
function apply(body, { outcome, amount, fee = 0 }, at) {
  const payment = payments.get(nameOf(body));
  if (outcome === 'approved') {
    const { currency } = body.amount_money;
    const state = body.capture ? 'captured' : 'authorized';
    const record = enter({ type: 'payment', state, amount_money: { amount, currency }, fee }, body, at);
    const [held, taken] = body.capture ? [0, amount] : [amount, 0];
    payments.set(nameOf(body), { held, taken, returned: 0, record });
  }
  if (outcome === 'captured') {
    Object.assign(payment, { held: 0, taken: payment.held });
    Object.assign(payment.record, { state: 'captured', fee });
  }
  if (outcome === 'voided' && payment?.held > 0) {
    payment.held = 0;
    payment.record.state = 'voided';
  }
  if (outcome === 'refunded') {
    payment.returned += body.amount_money.amount;
    enter({ type: 'refund', state: 'refunded', amount_money: body.amount_money }, body, at);
  }
}

function enter(record, { key, merchant_id, payment_id }, created_at) {
  const entered = { id: `rec_${records.length + 1}`, key, merchant_id, payment_id, created_at, ...record };
  records.push(entered);
  return entered;
}

const PAGE_SIZE = 100;

/** A page of the records that were made in a range of time, or of those of one payment. */
function listRecords(query) {
  const { begin_time, end_time, merchant_id, payment_id, cursor = '0' } = Object.fromEntries(query);
  const [begin, end] = [Date.parse(begin_time), Date.parse(end_time)];
  const isRange = begin <= end; // false if one of them is missing or is not a time
  if ((!isRange && !(merchant_id && payment_id)) || !/^\d+$/.test(cursor)) return [400];
  const isWanted = isRange
    ? ({ created_at }) => Date.parse(created_at) >= begin && Date.parse(created_at) < end
    : (record) => record.merchant_id === merchant_id && record.payment_id === payment_id;
  const page = [];
  let next = Number(cursor);
  for (; next < records.length && page.length < PAGE_SIZE; next++)
    if (isWanted(records[next])) page.push(records[next]);
  return [200, { records: page, ...(next < records.length && { cursor: String(next) }) }];
}

// ---- Calls: each key takes effect once, also after a crash.

/** By key: the call, and its answer as soon as it is known. */
const calls = new Map();
let queue = Promise.resolve();
const journal = openJournal();

/** The journal has a line for each call before anything is done, and one for its answer. */
function openJournal() {
  const lines = existsSync(JOURNAL) ? readFileSync(JOURNAL, 'utf8').split('\n').slice(0, -1) : [];
  for (const { key, action, body, answer, at } of lines.map((line) => JSON.parse(line))) {
    if (answer === undefined) calls.set(key, { action, body });
    else {
      const call = calls.get(key);
      call.answer = answer;
      apply(call.body, answer, at);
    }
  }
  return openSync(JOURNAL, 'a');
}

function write(entry) {
  writeSync(journal, `${JSON.stringify(entry)}\n`);
  fsyncSync(journal);
}

/** Finishes a call, even if nobody waits for it. Calls run one after the other, so that two refunds cannot both take the same money. */
function run(key) {
  const call = calls.get(key);
  call.running ??= queue = queue.then(async () => {
    const answer = await askProcessor(call.action, call.body);
    const at = new Date().toISOString();
    write({ key, answer, at });
    apply(call.body, answer, at);
    call.answer = answer;
  });
  return call.running;
}

async function take(action, body) {
  const known = calls.get(body.key);
  if (known && (known.action !== action || JSON.stringify(known.body) !== JSON.stringify(body))) return [422];
  if (!known) {
    write({ key: body.key, action, body });
    calls.set(body.key, { action, body });
  }
  if (!calls.get(body.key).answer) await run(body.key);
  return [200, calls.get(body.key).answer];
}

function lookUp(key) {
  const call = calls.get(key);
  if (!call) return [404];
  return call.answer ? [200, call.answer] : [202];
}

// ---- HTTP.

/** Only a sender with the secret may move money, and a recorded request is refused if somebody sends it again later. */
function isGenuine({ method, url, headers }, text) {
  const [, seconds = '', given = ''] =
    /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(headers['tillhouse-signature'] ?? '') ?? [];
  if (Math.abs(Date.now() / 1000 - Number(seconds)) > 300) return false;
  if (given === '') return false;
  const isSignedWith = (secret) => {
    const expected = createHmac('sha256', secret).update(`${seconds}.${method}.${url}.${text}`).digest();
    return timingSafeEqual(Buffer.from(given, 'hex'), expected);
  };
  return SECRETS.some(isSignedWith);
}

function parse(action, text) {
  try {
    const body = JSON.parse(text);
    const names = ['key', 'merchant_id', 'payment_id', ...MEMBERS[action]];
    const isWhole = names.every((name) => body[name] !== undefined);
    return isWhole && (!body.amount_money || Number.isSafeInteger(body.amount_money.amount)) ? body : undefined;
  } catch {
    return undefined;
  }
}

async function respond(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  if (!isGenuine(request, text)) return [401];
  const { pathname, searchParams } = new URL(request.url, 'http://adapter');
  if (request.method === 'GET' && pathname === '/records') return listRecords(searchParams);
  const [, action, key] = /^\/(\w+)(?:\/([^/]+))?$/.exec(pathname) ?? [];
  if (request.method === 'GET' && action === 'calls' && key) return lookUp(decodeURIComponent(key));
  if (request.method !== 'POST' || !Object.hasOwn(MEMBERS, action)) return [404];
  const body = parse(action, text);
  return body ? take(action, body) : [400];
}

const server = createServer(async (request, response) => {
  const [status, answer = {}] = await respond(request).catch((error) => {
    console.error(error);
    return [500];
  });
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
});

for (const [key, { answer }] of calls) if (!answer) run(key); // what a crash has interrupted
server.listen(PORT, '127.0.0.1', () => console.log(`The adapter listens at http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () => {
  server.close(() => closeSync(journal));
  server.closeAllConnections();
});
