/** Sandbox operations on the log of requests (decision 0164). */

import { listOperation, operation, type ServerContext } from '../api/operation.js';
import type { RecordedRequest } from '../api/recorded-requests.js';
import type { RequestLog } from '../api/request-log.js';
import { about, Nothing, Type } from '../api/wire.js';
import { notFound, Refusal } from '../base/errors.js';
import { type Delivery, listDeliveriesAbout } from '../events/delivery-queries.js';
import { listRecordedRequests } from './request-filter.js';
import { notesOn } from './request-notes.js';
import { recordsOf } from './request-records.js';
import { canBeResent, RequestDetail, RequestQuery, RequestSummary, toDetail, toSummary } from './requests.view.js';
import { sendAgain } from './send-again.js';

const PATH = '/api/sandbox/requests';
const MAX_EVENTS = 50;

function logOf({ requestLog }: ServerContext): RequestLog {
  if (!requestLog) throw new Error('a sandbox has a log of requests');
  return requestLog;
}

function requireRecordedRequest(requests: Iterable<RecordedRequest>, id: string): RecordedRequest {
  for (const request of requests) if (request.id === id) return request;
  throw notFound('request in the log', id);
}

/** The deliveries of what its records did since then. */
async function eventsAfter(
  { database }: ServerContext,
  request: RecordedRequest,
): Promise<readonly Omit<Delivery, 'body'>[]> {
  const entityIds = recordsOf(request).map(({ id }) => id);
  if (request.merchantId === undefined || entityIds.length === 0) return [];
  const found = await listDeliveriesAbout(database.sql, request.merchantId, { entityIds, limit: MAX_EVENTS });
  return found.filter(({ createdAt }) => createdAt >= request.at);
}

export const sandboxRequestOperations = [
  listOperation({
    surface: 'sandbox',
    name: 'listRequests',
    method: 'GET',
    path: PATH,
    permission: 'OPERATOR',
    summary: 'Lists the latest requests to this server, newest first. Requests of the operator are not recorded.',
    page: { token: 'cursor', limit: { default: 50, max: 200, over: 'cap' }, keys: ['requests'] },
    query: RequestQuery,
    item: RequestSummary,
    async handle(context, { query, page }) {
      const { merchant_id: merchantId, operation: name, status, stub, text, sent_by: sentBy } = query;
      const filter = { merchantId, operation: name, status, stub, text, sentBy };
      const { items, next } = listRecordedRequests(await logOf(context).newestFirst(), filter, page);
      return { items: items.map((each) => toSummary(each)), next };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'retrieveRequest',
    method: 'GET',
    path: `${PATH}/{request_id}`,
    permission: 'OPERATOR',
    summary: 'Shows a recorded request with its response, what it changed, and the events that followed.',
    response: Type.Object({ request: about('The recorded request.', RequestDetail) }),
    async handle(context, { params: { request_id } }) {
      const requests = [...(await logOf(context).newestFirst())];
      const request = requireRecordedRequest(requests, request_id);
      const notes = notesOn(request, requests);
      const baseUrl = context.publicUrl ?? context.localUrl();
      return { request: toDetail(request, { events: await eventsAfter(context, request), notes, baseUrl }) };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'resendRequest',
    method: 'POST',
    path: `${PATH}/{request_id}/resend`,
    permission: 'OPERATOR',
    summary: 'Sends a recorded request again, with the same headers, credential and body.',
    response: Type.Object({ request: about('The new request, which is recorded too.', RequestSummary) }),
    async handle(context, { params: { request_id } }) {
      const request = requireRecordedRequest(await logOf(context).newestFirst(), request_id);
      if (!canBeResent(request)) {
        throw new Refusal('WRONG_STATE', { detail: 'The body of this request was not kept as a whole.' });
      }
      const sent = await sendAgain(request, logOf(context), context.localUrl());
      if (!sent) throw new Refusal('WRONG_STATE', { detail: 'The request got no response.' });
      return { request: toSummary(sent) };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'clearRequests',
    method: 'DELETE',
    path: PATH,
    permission: 'OPERATOR',
    summary: 'Removes all requests from the log.',
    response: Nothing,
    async handle(context) {
      await logOf(context).clear();
      return {};
    },
  }),
];
