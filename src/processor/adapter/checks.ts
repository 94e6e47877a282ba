/** Checks an adapter against the HTTP contract, as anybody can do who writes one: `tillhouse processor check`. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { realNow } from '../../base/clock.js';
import { realIds } from '../../base/ids.js';
import { HOUR_MS, SECOND_MS } from '../../base/time.js';
import { Checker, type CheckSettings, expectSame, Omitted } from './checker.js';
import { RECORD_CHECKS } from './record-checks.js';
import { SIGNATURE_HEADER, sign } from './signature.js';
import type { Adapter } from './transport.js';

export interface CheckResult {
  readonly name: string;
  /** What is wrong. Undefined: nothing. */
  readonly error: string | undefined;
  /** Set if the adapter does not offer this optional part: what will not work without it. */
  readonly omitted?: string;
}

const CALL_CHECKS: Readonly<Record<string, (checker: Checker) => Promise<void>>> = {
  'a call that was never made is looked up with 404': (checker) =>
    checker.expectStatus(checker.lookUp(`check:${realIds.newId(20)}`), 404, 'GET /calls/{key}'),

  'a request with a wrong signature is refused with 401, and takes no effect': async (checker) => {
    const body = checker.authorization();
    const request = {
      method: 'POST',
      path: `${new URL(checker.settings.url).pathname.replace(/\/$/, '')}/authorize`,
    } as const;
    const [text, now] = [JSON.stringify(body), Math.floor(realNow() / SECOND_MS)];
    const { secret } = checker.settings;
    const old = now - HOUR_MS / SECOND_MS;
    const wrong = {
      'no signature': '',
      'the signature of another secret': sign(`${secret}x`, { ...request, body: text }, now),
      'the signature of another body': sign(secret, { ...request, body: `${text} ` }, now),
      'the signature of another path': sign(secret, { ...request, path: `${request.path}x`, body: text }, now),
      'a signature from an hour ago': sign(secret, { ...request, body: text }, old),
    };
    for (const [what, signature] of Object.entries(wrong)) {
      await checker.expectStatus(checker.post('authorize', body, signature), 401, what);
    }
    await checker.expectStatus(checker.lookUp(body.key), 404, 'the call afterwards');
  },

  'a body that is not JSON, or lacks a member, is refused with 400': async (checker) => {
    const half = { method: 'POST', path: '/authorize', body: '{"key": "check' } as const;
    await checker.expectStatus(checker.send(half), 400, 'half a body');
    await checker.expectStatus(checker.post('authorize', checker.body()), 400, 'a body without amount_money');
  },

  'money is taken at once': async (checker) => {
    const { amount: approved } = (await checker.expectOutcome('authorize', checker.authorization(), 'approved')) as {
      amount: number;
    };
    if (approved !== checker.settings.amount)
      throw new Error(`amount must be ${checker.settings.amount}, not ${approved}`);
  },

  'a call with the same key takes effect once, and its look-up has the same answer': async (checker) => {
    const body = checker.authorization();
    const first = await checker.expectOutcome('authorize', body, 'approved');
    expectSame(first, await checker.call('authorize', body), 'the second call');
    expectSame(first, await checker.awaitAnswer('authorize', body.key), 'the look-up');
    const { amount } = checker.settings;
    await checker.expectOutcome('refund', checker.next(body, checker.part(amount)), 'refunded');
    await checker.expectOutcome('refund', checker.next(body, checker.part(1)), 'failed');
  },

  'ten calls with the same key at the same time take effect once': async (checker) => {
    const body = checker.authorization();
    const calls = await Promise.all(Array.from({ length: 10 }, () => checker.call('authorize', body)));
    for (const answer of calls) expectSame(calls[0], answer, 'one of ten');
    const { amount } = checker.settings;
    await checker.expectOutcome('refund', checker.next(body, checker.part(amount)), 'refunded');
    await checker.expectOutcome('refund', checker.next(body, checker.part(1)), 'failed');
  },

  'a key that comes back with another body is refused with 422': async (checker) => {
    const body = checker.authorization();
    await checker.expectOutcome('authorize', body, 'approved');
    const other = { ...body, ...checker.part(checker.settings.amount - 1) };
    await checker.expectStatus(checker.post('authorize', other), 422, 'another amount');
  },

  'a call goes on when its connection is lost': async (checker) => {
    const body = checker.authorization();
    await sendAndLeave(checker.settings, '/authorize', JSON.stringify(body));
    await sleep(SECOND_MS);
    const known = await checker.lookUp(body.key);
    const answer =
      known.status === 404 ? await checker.call('authorize', body) : await checker.awaitAnswer('authorize', body.key);
    if (answer.outcome !== 'approved') throw new Error(`outcome must be approved, not ${answer.outcome}`);
    expectSame(answer, await checker.call('authorize', body), 'the call again');
  },

  'reserved money is captured once': async (checker) => {
    const body = checker.authorization({ capture: false });
    await checker.expectOutcome('authorize', body, 'approved');
    await checker.expectOutcome('refund', checker.next(body, checker.part(1)), 'failed');
    const capture = checker.next(body);
    const first = await checker.expectOutcome('capture', capture, 'captured');
    expectSame(first, await checker.call('capture', capture), 'the second capture');
    await checker.expectOutcome('refund', checker.next(body, checker.part(1)), 'refunded');
  },

  'reserved money is released, and cannot be captured afterwards': async (checker) => {
    const body = checker.authorization({ capture: false });
    await checker.expectOutcome('authorize', body, 'approved');
    const release = checker.next(body);
    await checker.expectOutcome('void', release, 'voided');
    await checker.expectOutcome('void', release, 'voided');
    await checker.expectOutcome('capture', checker.next(body), 'refused');
  },

  'money goes back in parts, and never more than was taken': async (checker) => {
    const { amount } = checker.settings;
    const body = checker.authorization();
    await checker.expectOutcome('authorize', body, 'approved');
    const first = checker.next(body, checker.part(1));
    await checker.expectOutcome('refund', first, 'refunded');
    await checker.expectOutcome('refund', first, 'refunded');
    await checker.expectOutcome('refund', checker.next(body, checker.part(amount)), 'failed');
    await checker.expectOutcome('refund', checker.next(body, checker.part(amount - 1)), 'refunded');
    await checker.expectOutcome('refund', checker.next(body, checker.part(1)), 'failed');
  },

  'a refund of a payment that does not exist fails': async (checker) => {
    await checker.expectOutcome('refund', checker.body(checker.part(1)), 'failed');
  },

  'a card is declined with a code, also when the call is repeated': async (checker) => {
    const body = checker.authorization({ source_id: checker.settings.declinedSource });
    const first = await checker.expectOutcome('authorize', body, 'declined');
    expectSame(first, await checker.call('authorize', body), 'the second call');
    await checker.expectOutcome('refund', checker.next(body, checker.part(1)), 'failed');
  },

  'a source that does not exist is unusable': async (checker) => {
    await checker.expectOutcome(
      'authorize',
      checker.authorization({ source_id: 'cnon:there-is-no-such-source' }),
      'unusable',
    );
  },
};

const CHECKS: Readonly<Record<string, (checker: Checker) => Promise<void>>> = { ...CALL_CHECKS, ...RECORD_CHECKS };

export const CHECK_NAMES: readonly string[] = Object.keys(CHECKS);

/** Runs all checks in order. `onResult` gets each result at once. */
export async function checkAdapter(
  settings: CheckSettings,
  onResult: (result: CheckResult) => void = () => {},
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    const result = await check(new Checker(settings)).then(
      (): CheckResult => ({ name, error: undefined }),
      (error: unknown): CheckResult => {
        const { message } = error as Error;
        return error instanceof Omitted ? { name, error: undefined, omitted: message } : { name, error: message };
      },
    );
    results.push(result);
    onResult(result);
  }
  return results;
}

/** Sends a whole request and closes the connection before the answer. */
async function sendAndLeave({ url, secret }: Adapter, path: string, body: string): Promise<void> {
  const { protocol, hostname, port, pathname, host } = new URL(url + path);
  const name = hostname.replace(/^\[|\]$/g, '');
  const isTls = protocol === 'https:';
  const options = { host: name, port: Number(port || (isTls ? 443 : 80)) };
  const socket = isTls ? connectTls({ ...options, servername: name }) : connect(options);
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject).once(isTls ? 'secureConnect' : 'connect', resolve);
  });
  const signature = sign(secret, { method: 'POST', path: pathname, body }, Math.floor(realNow() / SECOND_MS));
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${host}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `${SIGNATURE_HEADER}: ${signature}`,
  ];
  await new Promise<void>((resolve) => socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, () => resolve()));
  socket.end();
  socket.once('error', () => {}).resume();
  await sleep(20);
  socket.destroy();
}
