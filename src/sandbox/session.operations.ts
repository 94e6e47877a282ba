/** Sandbox operations with which the operator signs in to the console: by the key, or with one click on this machine (decision 0165). */
import { operation, type VisitedContext } from '../api/operation.js';
import { CONSOLE_COOKIE } from '../api/operator.js';
import { SAMPLE_SECRETS } from '../api/sample-ids.js';
import { about, Bool, Nothing, optional, Type, text } from '../api/wire.js';
import { Refusal } from '../base/errors.js';
import { DAY_MS, SECOND_MS } from '../base/time.js';

const PATH = '/api/sandbox/session';
const LIFETIME_MS = 30 * DAY_MS;

function printCookie({ cookies }: VisitedContext, value: string, lifetimeMs: number): string {
  const maxAgeSeconds = lifetimeMs / SECOND_MS;
  return cookies.print({ name: CONSOLE_COOKIE, value, path: '/api/sandbox', sameSite: 'Strict', maxAgeSeconds });
}

/** The route has refused other sites. Without an origin the request does not come from a page of this server. */
function requireLocalPage({ operator, visitor }: VisitedContext): void {
  const isPage = visitor.origin !== undefined && visitor.origin !== 'null';
  if (isPage && operator.admits(visitor)) return;
  throw new Refusal('FORBIDDEN', {
    detail: 'operator_key is required. Only pages of a sandbox that listens on loopback do without it.',
    field: 'operator_key',
  });
}

export const sandboxSessionOperations = [
  operation({
    surface: 'sandbox',
    name: 'showSession',
    method: 'GET',
    path: PATH,
    permission: 'ANYONE',
    summary:
      'Says whether this browser is signed in to the console, and whether it may sign in without the operator key.',
    response: Type.Object({
      signed_in: about('Whether this browser is signed in.', Bool),
      one_click: about('Whether this browser may sign in without the operator key.', Bool),
    }),
    async handle({ operator, cookies, visitor }) {
      const session = cookies.find(visitor.cookies, CONSOLE_COOKIE);
      return {
        signed_in: session !== undefined && operator.isSession(session),
        one_click: operator.admits(visitor),
      };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'signIn',
    method: 'POST',
    path: PATH,
    permission: 'ANYONE',
    summary: 'Signs a browser in to the console. The cookie then stands for the operator key.',
    body: Type.Object({
      operator_key: about(
        'The operator key. Pages of a sandbox that listens on loopback may leave it out.',
        optional(text(1024, { minLength: 1 })),
      ),
    }),
    example: { body: { operator_key: SAMPLE_SECRETS.operator_key } },
    response: Nothing,
    async handle(context, { body: { operator_key } }) {
      const { operator, limits, visitor } = context;
      if (operator_key === undefined) requireLocalPage(context);
      else if (!operator.isKey(operator_key)) {
        limits.guards.unknownCredentials.count(visitor.network);
        throw new Refusal('UNAUTHORIZED', { detail: 'This is not the operator key of this server.' });
      }
      return { headers: { 'set-cookie': printCookie(context, operator.session, LIFETIME_MS) }, body: {} };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'signOut',
    method: 'DELETE',
    path: PATH,
    permission: 'ANYONE',
    summary: 'Signs this browser out of the console.',
    response: Nothing,
    async handle(context) {
      return { headers: { 'set-cookie': printCookie(context, '', 0) }, body: {} };
    },
  }),
];
