/** Reads an application's authorization request from the query of `/oauth2/authorize`. */
import { compileQuery } from '../../api/input.js';
import { Bool, optional, type Static, Type, text } from '../../api/wire.js';
import { Refusal } from '../../base/errors.js';
import type { Sql } from '../../database/database.js';
import { type Application, findApplication } from '../../identity/application-queries.js';
import { isPermission, type Permission } from '../../identity/permissions.js';
import { MAX_REDIRECT_URL_LENGTH } from './redirect-urls.js';

const AuthorizeQuery = Type.Object({
  client_id: text(191),
  response_type: optional(text(64)),
  scope: optional(text(2048)),
  session: optional(Bool),
  state: optional(text(4096)),
  redirect_uri: optional(text(MAX_REDIRECT_URL_LENGTH)),
  code_challenge: optional(text(128)),
  code_challenge_method: optional(text(64)),
});

type Query = Static<typeof AuthorizeQuery>;

const readQuery = compileQuery(AuthorizeQuery);

/** What the published API grants if the request has no `scope`. */
const DEFAULT_PERMISSIONS: readonly Permission[] = [
  'MERCHANT_PROFILE_READ',
  'PAYMENTS_READ',
  'SETTLEMENTS_READ',
  'BANK_ACCOUNTS_READ',
];

export interface AuthorizationRequest {
  readonly application: Application;
  /** Exactly one of the redirect URLs that the application has registered. */
  readonly redirectUrl: string;
  readonly permissions: readonly Permission[];
  readonly state: string | undefined;
  readonly challenge: string | undefined;
  /** Ignore an existing session: the owner must sign in again. */
  readonly needsFreshSignIn: boolean;
}

/**
 * An invalid request is reported on the page and does not redirect. Only the owner's own decision redirects to the application
 * (decision 0071).
 */
export async function parseAuthorizationRequest(
  sql: Sql,
  raw: Readonly<Record<string, string>>,
): Promise<AuthorizationRequest> {
  const query = readQuery(raw) as Query;
  const application = await findApplication(sql, query.client_id);
  if (!application) throw invalid('client_id', 'There is no application with this client_id.');
  return {
    application,
    redirectUrl: redirectUrlOf(application, query),
    permissions: permissionsOf(query),
    state: query.state,
    challenge: challengeOf(application, query),
    needsFreshSignIn: query.session === false,
  };
}

function redirectUrlOf({ redirectUrls }: Application, { redirect_uri: requested }: Query): string {
  if (requested !== undefined) {
    if (redirectUrls.includes(requested)) return requested;
    throw invalid('redirect_uri', 'The redirect_uri is not one of the redirect URLs of the application.');
  }
  const [only, ...others] = redirectUrls;
  if (only !== undefined && others.length === 0) return only;
  throw invalid(
    'redirect_uri',
    only === undefined
      ? 'The application has no redirect URL.'
      : 'The application has several redirect URLs. Send one of them as redirect_uri.',
  );
}

function permissionsOf({ scope, response_type: type = 'code' }: Query): readonly Permission[] {
  if (type !== 'code') throw invalid('response_type', 'The response_type must be code.');
  const words = [...new Set(scope?.split(/[\s+,]+/).filter(Boolean))];
  if (words.length === 0) return DEFAULT_PERMISSIONS;
  const unknown = words.filter((word) => !isPermission(word));
  if (unknown.length > 0) throw invalid('scope', `The scope has unknown permissions: ${unknown.join(', ')}.`);
  return words.filter(isPermission);
}

/** Only S256: with `plain` the challenge is the verifier itself, and can be intercepted (RFC 9700 2.1.1). */
function challengeOf(
  { clientType }: Application,
  { code_challenge: challenge, code_challenge_method: method }: Query,
): string | undefined {
  if (challenge === undefined && method === undefined) {
    if (clientType === 'CONFIDENTIAL') return undefined;
    throw invalid('code_challenge', 'A public application must send a code_challenge (S256).');
  }
  if (method !== undefined && method !== 'S256') {
    throw invalid('code_challenge_method', 'The code_challenge_method must be S256.');
  }
  if (challenge !== undefined && /^[\w-]{43}$/.test(challenge)) return challenge;
  throw invalid('code_challenge', 'The code_challenge must be a SHA-256 hash in base64url (43 characters).');
}

function invalid(field: string, detail: string): Refusal {
  return new Refusal('INVALID_VALUE', { field, detail });
}
