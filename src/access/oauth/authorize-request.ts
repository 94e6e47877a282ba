/** What an application asks of a merchant, read from the address that it sent the browser to. */
import { compileQuery } from '../../api/input.js';
import { Flag, optional, type Static, Type, text } from '../../api/wire.js';
import { Refusal } from '../../base/errors.js';
import type { Sql } from '../../database/database.js';
import { type Application, findApplication } from '../../identity/application-queries.js';
import { isPermission, type Permission } from '../../identity/permissions.js';
import { MAX_REDIRECT_URL_LENGTH } from './redirect-urls.js';

const AuthorizeQuery = Type.Object({
  client_id: text(191),
  response_type: optional(text(64)),
  scope: optional(text(2048)),
  session: optional(Flag),
  state: optional(text(4096)),
  redirect_uri: optional(text(MAX_REDIRECT_URL_LENGTH)),
  code_challenge: optional(text(128)),
  code_challenge_method: optional(text(64)),
});

type Query = Static<typeof AuthorizeQuery>;

const readQuery = compileQuery(AuthorizeQuery);

/** As the published interface has it where nothing is asked for by name. */
const DEFAULT_PERMISSIONS: readonly Permission[] = [
  'MERCHANT_PROFILE_READ',
  'PAYMENTS_READ',
  'SETTLEMENTS_READ',
  'BANK_ACCOUNTS_READ',
];

export interface AuthorizationRequest {
  readonly application: Application;
  /** One of those that the application has registered, letter by letter. */
  readonly redirectUrl: string;
  readonly permissions: readonly Permission[];
  readonly state: string | undefined;
  readonly challenge: string | undefined;
  /** Whoever was signed in before does not count. */
  readonly needsFreshSignIn: boolean;
}

/**
 * Whatever is wrong is told to the person at the browser, who is sent nowhere: only their own yes or no does that
 * (decision 0071).
 */
export async function readAuthorizationRequest(
  sql: Sql,
  raw: Readonly<Record<string, string>>,
): Promise<AuthorizationRequest> {
  const query = readQuery(raw) as Query;
  const application = await findApplication(sql, query.client_id);
  if (!application) throw mistake('client_id', 'There is no application with this client_id.');
  return {
    application,
    redirectUrl: redirectUrlOf(application, query),
    permissions: permissionsOf(query),
    state: query.state,
    challenge: challengeOf(application, query),
    needsFreshSignIn: query.session === false,
  };
}

function redirectUrlOf({ redirectUrls }: Application, { redirect_uri: asked }: Query): string {
  if (asked !== undefined) {
    if (redirectUrls.includes(asked)) return asked;
    throw mistake('redirect_uri', 'The redirect_uri is none that the application has registered.');
  }
  const [only, ...others] = redirectUrls;
  if (only !== undefined && others.length === 0) return only;
  throw mistake(
    'redirect_uri',
    only === undefined
      ? 'The application has registered no redirect URL.'
      : 'The application has registered several redirect URLs: redirect_uri must name one of them.',
  );
}

function permissionsOf({ scope, response_type: type = 'code' }: Query): readonly Permission[] {
  if (type !== 'code') throw mistake('response_type', 'The response_type must be code.');
  const words = [...new Set(scope?.split(/[\s+,]+/).filter(Boolean))];
  if (words.length === 0) return DEFAULT_PERMISSIONS;
  const unknown = words.filter((word) => !isPermission(word));
  if (unknown.length > 0) throw mistake('scope', `The scope asks for what there is not: ${unknown.join(', ')}.`);
  return words.filter(isPermission);
}

/** Only the SHA-256 of a secret: the secret itself could be read on the way (RFC 9700 2.1.1). */
function challengeOf(
  { clientType }: Application,
  { code_challenge: challenge, code_challenge_method: method }: Query,
): string | undefined {
  if (challenge === undefined && method === undefined) {
    if (clientType === 'CONFIDENTIAL') return undefined;
    throw mistake('code_challenge', 'The application is public: it must send a code_challenge (S256).');
  }
  if (method !== undefined && method !== 'S256') {
    throw mistake('code_challenge_method', 'The code_challenge_method must be S256.');
  }
  if (challenge !== undefined && /^[\w-]{43}$/.test(challenge)) return challenge;
  throw mistake('code_challenge', 'The code_challenge must be a SHA-256 in base64url: 43 characters.');
}

function mistake(field: string, detail: string): Refusal {
  return new Refusal('INVALID_VALUE', { field, detail });
}
