/** The authorization page: the owner signs in, reads what the application requests, and allows or denies it. */
import { createHmac } from 'node:crypto';
import type { Cookies } from '../../api/cookies.js';
import { compileQuery } from '../../api/input.js';
import type { ServerContext } from '../../api/operation.js';
import type { Page, PageResponse, PageVisit } from '../../api/pages.js';
import { type Static, Type, text } from '../../api/wire.js';
import { realNow } from '../../base/clock.js';
import { Refusal } from '../../base/errors.js';
import { newSecret } from '../../base/ids.js';
import { hashAsText, hashSecret, secretMatches } from '../../base/secrets.js';
import { HOUR_MS, SECOND_MS } from '../../base/time.js';
import type { Database } from '../../database/database.js';
import type { Account } from '../../identity/caller.js';
import { listSignedInAccounts } from '../../identity/credential-queries.js';
import { findMerchantOf } from '../../identity/directory-queries.js';
import { DEVICE_COOKIE, printDeviceCookie } from '../dashboard/known-devices.js';
import { signIn } from '../dashboard/sessions.js';
import { consentPage, type FormContext, type Step, signInPage } from './authorize.view.js';
import { type AuthorizationRequest, parseAuthorizationRequest } from './authorize-request.js';
import { issueCode } from './grants.js';
import { withParameters } from './redirect-urls.js';

const PATH = '/oauth2/authorize';
const SURFACE = 'oauth2';

/** A secret of this browser. It signs the forms. At the sign-in the session token replaces it. */
const COOKIE = 'tillhouse_authorize';

/** Longer than a session on this page, so that a form that was left open leads to a new sign-in instead of an error. */
const FORM_LIFETIME_MS = HOUR_MS;

const SignInForm = Type.Object({ email: text(255), password: text(255) });
const readSignIn = compileQuery(SignInForm);

export const authorizePages: readonly Page[] = [
  { surface: SURFACE, name: 'showAuthorization', method: 'GET', path: PATH, guard: 'oauth', handle: showPage },
  { surface: SURFACE, name: 'answerAuthorization', method: 'POST', path: PATH, guard: 'oauth', handle: handleForm },
];

async function showPage({ database, cookies }: ServerContext, visit: PageVisit): Promise<PageResponse> {
  const request = await parseAuthorizationRequest(database.sql, visit.query);
  const known = cookies.find(visit.cookies, COOKIE);
  const account = known === undefined || request.needsFreshSignIn ? undefined : await findSignedIn(database, known);
  if (known !== undefined && account) {
    return consentPage(request, account.email, frameOf(visit, known, 'consent', request));
  }
  const key = known ?? newSecret('', 43);
  return { ...signInPage(request, frameOf(visit, key, 'sign-in', request)), cookies: [cookieOf(cookies, key)] };
}

async function handleForm(context: ServerContext, visit: PageVisit): Promise<PageResponse> {
  const request = await parseAuthorizationRequest(context.database.sql, visit.query);
  const key = context.cookies.find(visit.cookies, COOKIE);
  const step: Step = visit.form['step'] === 'consent' ? 'consent' : 'sign-in';
  if (key === undefined || !secretMatches(visit.form['token'] ?? '', hashSecret(formToken(key, step, request)))) {
    throw new Refusal('FORBIDDEN', {
      detail: 'This form has expired or is not valid. Go back to the application and start again.',
    });
  }
  return step === 'consent' ? handleDecision(context, visit, request, key) : handleSignIn(context, visit, request, key);
}

async function handleSignIn(
  context: ServerContext,
  visit: PageVisit,
  request: AuthorizationRequest,
  key: string,
): Promise<PageResponse> {
  const { cookies } = context;
  const { visitor } = visit;
  const { email, password } = readSignIn(visit.form) as Static<typeof SignInForm>;
  const signedIn = await signIn(context, {
    email,
    password,
    surface: SURFACE,
    visitor,
    deviceCookie: cookies.find(visitor.cookies, DEVICE_COOKIE),
  });
  if (!signedIn) {
    const problem = { message: 'The email or the password is wrong.', email };
    return signInPage(request, frameOf(visit, key, 'sign-in', request), problem);
  }
  // A new secret: one that was known before the sign-in is useless (session fixation). A redirect shows the request, so that the
  // browser does not send the password again when it returns to the page. Without `session`, which would require another sign-in.
  return {
    location: `?${withoutSession(visit.search)}`,
    cookies: [cookieOf(cookies, signedIn.session), printDeviceCookie(cookies, signedIn.device, PATH)],
  };
}

function withoutSession(search: string): string {
  const parameters = new URLSearchParams(search);
  parameters.delete('session');
  return parameters.toString();
}

async function handleDecision(
  { database }: ServerContext,
  visit: PageVisit,
  request: AuthorizationRequest,
  key: string,
): Promise<PageResponse> {
  const account = await findSignedIn(database, key);
  if (!account) {
    const problem = { message: 'Your session has expired. Sign in again.' };
    return signInPage(request, frameOf(visit, key, 'sign-in', request), problem);
  }
  const { application, permissions, redirectUrl, state, challenge } = request;
  const iss = visit.baseUrl; // the issuer: a client of several servers can tell their responses apart (RFC 9207)
  if (visit.form['decision'] !== 'allow') {
    const denied = { error: 'access_denied', error_description: 'user_denied', state, iss };
    return { location: withParameters(redirectUrl, denied) };
  }
  const granted = { merchantId: account.merchant.id, applicationId: application.id, permissions };
  const by = { accountId: account.id, address: visit.visitor.address };
  const code = await issueCode(database, granted, { redirectUrl, challenge, by });
  return { location: withParameters(redirectUrl, { code, response_type: 'code', state, iss }) };
}

async function findSignedIn({ sql }: Database, session: string): Promise<Account | undefined> {
  const hash = hashAsText(session);
  const merchantId = await findMerchantOf(sql, hashSecret(session));
  if (merchantId === undefined) return undefined;
  const account = (await listSignedInAccounts(sql, SURFACE, [{ hash, merchantId }])).get(hash);
  return account && account.expiresAt > realNow() ? account : undefined;
}

function frameOf({ search }: PageVisit, key: string, step: Step, request: AuthorizationRequest): FormContext {
  return { search, token: formToken(key, step, request) };
}

/** Proves that the form was shown to this browser for exactly this request. Other sites cannot forge it (CSRF). */
function formToken(key: string, step: Step, { application, ...rest }: AuthorizationRequest): string {
  const { redirectUrl, permissions, state, challenge, needsFreshSignIn } = rest;
  const signed = [step, application.id, redirectUrl, permissions, state, challenge, needsFreshSignIn];
  return createHmac('sha256', key).update(JSON.stringify(signed)).digest('base64url');
}

function cookieOf(cookies: Cookies, value: string): string {
  const maxAgeSeconds = FORM_LIFETIME_MS / SECOND_MS;
  return cookies.print({ name: COOKIE, value, path: PATH, sameSite: 'Lax', maxAgeSeconds });
}
