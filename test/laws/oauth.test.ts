/** Random histories of codes, tokens and revocations, compared with a model of the valid credentials. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBreaches } from '../../src/check/check.js';
import { Browser } from '../support/browser.js';
import { repetitions } from '../support/long.js';
import {
  asClient,
  authorizeUrl,
  createApplication,
  createOwner,
  createPkcePair,
  createPublicApplication,
  credentialsOf,
  obtainToken,
  redirectParameters,
  statusOf,
  type TestApplication,
  type TestOwner,
} from '../support/oauth.js';
import { startTestServer, type TestServer } from '../support/server.js';

/** What the model knows of one authorization. */
interface Allowed {
  readonly merchant: number;
  readonly application: number;
  readonly code: string;
  /** An authorization of an application without a secret. */
  readonly verifier: string | undefined;
  isExchanged: boolean;
  isRevoked: boolean;
  /** Single-use refresh tokens in the order of issue: only the last is valid. */
  readonly refreshTokens: string[];
  readonly accessTokens: string[];
}

type Step =
  | { readonly kind: 'allow'; readonly merchant: number; readonly application: number }
  | { readonly kind: 'exchange'; readonly which: number }
  | { readonly kind: 'refresh'; readonly which: number; readonly older: number }
  | { readonly kind: 'revoke'; readonly merchant: number; readonly application: number };

const either = fc.integer({ min: 0, max: 1 });
const which = fc.nat({ max: 20 });
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('allow' as const), merchant: either, application: either }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('exchange' as const), which }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('refresh' as const), which, older: fc.integer({ min: 0, max: 1 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('revoke' as const), merchant: either, application: either }) },
);

let server: TestServer;
let owners: TestOwner[];
let browsers: Browser[];
let applications: TestApplication[];

beforeAll(async () => {
  server = await startTestServer();
  owners = [await createOwner(server), await createOwner(server)];
  applications = [await createApplication(server), await createPublicApplication(server)];
  browsers = [];
  for (const { email } of owners) {
    const browser = await new Browser().visit(authorizeUrl(server, at(applications, 0)));
    browsers.push(await browser.signIn(email));
  }
});
afterAll(() => server.stop());

function at<Item>(list: readonly Item[], index: number): Item {
  const item = list[index % list.length];
  if (item === undefined) throw new Error('nothing there');
  return item;
}

async function allow({ merchant, application }: Extract<Step, { kind: 'allow' }>): Promise<Allowed> {
  const { verifier, parameters } = createPkcePair();
  const isPublic = isPublicAt(application);
  const url = authorizeUrl(server, at(applications, application), isPublic ? parameters : {});
  const browser = await at(browsers, merchant).visit(url);
  await browser.submit({ decision: 'allow' });
  return {
    merchant,
    application,
    code: redirectParameters(browser)['code'] ?? '',
    verifier: isPublic ? verifier : undefined,
    isExchanged: false,
    isRevoked: false,
    refreshTokens: [],
    accessTokens: [],
  };
}

const isPublicAt = (application: number): boolean => application % 2 === 1;

/** Revokes by the application's secret. Without a secret, the owner revokes the authorization. */
async function revoke(owner: TestOwner, index: number): Promise<void> {
  const application = at(applications, index);
  if (isPublicAt(index)) await owner.call('DELETE', `/api/dashboard/authorizations/${application.id}`);
  else {
    const body = { merchant_id: owner.merchant.id };
    await server.call('POST', '/oauth2/revoke', { ...asClient(application), body });
  }
}

/** Requests tokens as the application of that authorization, and stores them. */
async function ask(allowed: Allowed, body: Record<string, unknown>): Promise<number> {
  const { id, ...rest } = at(applications, allowed.application);
  const credentials = allowed.verifier === undefined ? credentialsOf({ id, ...rest }) : { client_id: id };
  const answer = await obtainToken(server, { ...credentials, ...body });
  if (answer.status === 200) {
    allowed.accessTokens.push(answer.body.access_token);
    if (!allowed.refreshTokens.includes(answer.body.refresh_token))
      allowed.refreshTokens.push(answer.body.refresh_token);
  }
  return answer.status;
}

/** Performs a step in the server and in the model, and compares the results. */
async function take(step: Step, all: Allowed[]): Promise<void> {
  if (step.kind === 'allow') {
    all.push(await allow(step));
  } else if (step.kind === 'revoke') {
    const { merchant, application } = step;
    const concerned = all.filter((each) => each.merchant === merchant && each.application === application);
    for (const each of concerned) each.isRevoked = true;
    await revoke(at(owners, merchant), application);
  } else if (all.length > 0 && step.kind === 'exchange') {
    const allowed = at(all, step.which);
    const isGood = !allowed.isExchanged && !allowed.isRevoked;
    if (allowed.isExchanged) allowed.isRevoked = true; // the second exchange revokes the tokens of the first
    if (isGood) allowed.isExchanged = true;
    const body = { grant_type: 'authorization_code', code: allowed.code, code_verifier: allowed.verifier };
    expect(await ask(allowed, body)).toBe(isGood ? 200 : 401);
  } else if (all.length > 0 && step.kind === 'refresh') {
    const allowed = at(all, step.which);
    const { refreshTokens, verifier } = allowed;
    const last = refreshTokens.length - 1;
    const chosen = Math.max(last - step.older, 0);
    const refresh_token = refreshTokens[chosen];
    if (refresh_token === undefined) return; // its code was never exchanged
    const isSpent = verifier !== undefined && chosen < last;
    const isGood = !isSpent && !allowed.isRevoked;
    if (isSpent) allowed.isRevoked = true; // all tokens of the family
    expect(await ask(allowed, { grant_type: 'refresh_token', refresh_token })).toBe(isGood ? 200 : 401);
  }
}

describe('in any history of grants, exchanges, refreshes and revocations', () => {
  it('an access token works exactly as long as its authorization, and the laws hold', async () => {
    let [valid, revoked] = [0, 0];
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 25 }), async (history) => {
        const all: Allowed[] = [];
        for (const step of history) await take(step, all);
        for (const { accessTokens, isRevoked } of all) {
          const expected = isRevoked ? '401 ACCESS_TOKEN_REVOKED' : 'valid';
          for (const token of accessTokens) {
            expect(await statusOf(server, token)).toBe(expected);
            if (isRevoked) revoked++;
            else valid++;
          }
        }
      }),
      { numRuns: repetitions({ usual: 25, long: 200 }), seed: 20_200_226 },
    );
    expect(Math.min(valid, revoked)).toBeGreaterThan(5); // the histories reach the interesting states
    expect(await findBreaches(server.database)).toEqual([]);
  });
});
