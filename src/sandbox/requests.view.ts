/** The format of recorded requests in responses of the sandbox. */

import { MAX_RECORDED_LENGTH, type RecordedRequest } from '../api/recorded-requests.js';
import { about, Bool, choice, model, optional, present, type Static, Time, Type, text } from '../api/wire.js';
import { RESENT_HEADER, SENDERS } from '../base/senders.js';
import { printMilliseconds } from '../base/time.js';
import type { Delivery } from '../events/delivery-queries.js';
import { DELIVERY_STATES, EVENT_KINDS } from '../events/model.js';
import { printCurl } from './curl.js';
import {
  headerOf,
  type PrintedBody,
  type PrintedRequest,
  parseBody,
  printLine,
  printRequest,
} from './printed-request.js';
import { nameOf, senderOf } from './request-filter.js';
import { faultOf, hasUnreadBody, ignoredBy, notImplementedBy, type RequestNote, stubOf } from './request-notes.js';
import { recordsOf } from './request-records.js';

const SUMMARY = {
  id: about('The id of the request, as in the header `x-request-id` of its response.', Type.String()),
  at: about('When the request came, in real time.', Time),
  duration_ms: about('How long the server took, in milliseconds.', Type.Number()),
  method: about('The method of the request.', Type.String()),
  path: about('The path with the query. Secrets are hidden.', Type.String()),
  status: about('The status of the response. 0 if a fault reset the connection.', Type.Integer()),
  operation: about(
    'The operation, such as `v2.createPayment`. Absent if nothing is at this path.',
    optional(Type.String()),
  ),
  not_implemented: about(
    'The published operation that this server does not implement, such as `orders.create`.',
    optional(Type.String()),
  ),
  merchant_id: about('The merchant of the credential. Absent if it is unknown.', optional(Type.String())),
  application_id: about('The application of the credential. Absent if it is unknown.', optional(Type.String())),
  error: about('The first error of the response.', optional(Type.String())),
  fault: about('The injected fault: the id of its rule and its effect.', optional(Type.String())),
  stub: about('The id of the stub that answered the request.', optional(Type.String())),
  ignored: about(
    'Fields and parameters that the operation does not have, such as `body.ammount_money`. Absent if there are none.',
    optional(Type.Array(Type.String())),
  ),
  resent_from: about('The id of the request that was sent again.', optional(Type.String())),
  sent_by: about(
    'Which part of Tillhouse sent it: a page of the console or the docs, a command, or an assistant. Absent: a program.',
    optional(choice(SENDERS)),
  ),
};

export const RequestSummary = model('RecordedRequest', SUMMARY);

const Headers = Type.Array(
  model('RecordedHeader', {
    name: about('The name of the header.', Type.String()),
    value: about('The value of the header. Secrets are hidden.', Type.String()),
  }),
);
const Body = model('RecordedBody', {
  text: about('The text of the body. JSON is indented, and secrets are hidden.', Type.String()),
  is_cut: about('Whether only the beginning was kept.', Bool),
});

export const RequestDetail = model('RecordedRequestDetail', {
  ...SUMMARY,
  request_headers: about('The headers of the request.', Headers),
  request_body: about('The body of the request. Absent if it is empty or was not read.', optional(Body)),
  response_headers: about('The headers of the response.', Headers),
  response_body: about('The body of the response. Absent if it has none.', optional(Body)),
  records: about(
    'The records that the request made or changed, as its response shows them.',
    Type.Array(
      model('RecordedChange', {
        kind: about('The kind of record, such as `payment`.', Type.String()),
        id: about('The id of the record.', Type.String()),
      }),
    ),
  ),
  events: about(
    'The webhook deliveries about these records since then.',
    Type.Array(
      model('RecordedEvent', {
        event_id: about('The id of the event.', Type.String()),
        event_type: about('The kind of event.', choice(EVENT_KINDS)),
        delivery_id: about('The id of the delivery.', Type.String()),
        state: about('The state of the delivery.', choice(DELIVERY_STATES)),
        created_at: about('When the event was recorded.', Time),
      }),
    ),
  ),
  notes: about(
    'What a developer should know about the request.',
    Type.Array(
      model('RequestNote', {
        tone: about('Whether it is probably a mistake.', choice(['warning', 'info'])),
        text: about('What it is.', Type.String()),
        request_id: about('Another request that it is about.', optional(Type.String())),
      }),
    ),
  ),
  curl: about('The request as a command of curl, without its credential.', Type.String()),
  can_be_resent: about('Whether the whole request was kept, so that it can be sent again.', Bool),
});

export const RequestQuery = Type.Object({
  merchant_id: about('Only requests of this merchant.', optional(text(64, { minLength: 1 }))),
  operation: about(
    'Only requests of this operation, such as `v2.createPayment`, or of this surface, such as `v2`.',
    optional(text(64, { minLength: 1 })),
  ),
  status: about(
    'Only requests with this status, such as `404`, or of this class, such as `4xx`.',
    optional(Type.String({ pattern: '^(?:0|[1-5](?:\\d\\d|xx))$', maxLength: 3 })),
  ),
  stub: about('Only requests that this stub has answered.', optional(text(64, { minLength: 1 }))),
  text: about('Only requests that contain this text, in any letter case.', optional(text(255, { minLength: 1 }))),
  sent_by: about(
    'Only requests of programs, or only those of pages and commands of Tillhouse. Default: both.',
    optional(choice(['program', 'tillhouse'])),
  ),
});

export function toSummary(
  request: RecordedRequest,
  printed: Pick<PrintedRequest, 'url' | 'responseBody'> = printLine(request),
): Static<typeof RequestSummary> {
  return {
    id: request.id,
    at: printMilliseconds(request.at),
    duration_ms: Math.round(request.durationMs * 10) / 10,
    method: request.method,
    path: printed.url,
    status: request.status,
    ...present({
      operation: nameOf(request),
      not_implemented: notImplementedBy(request),
      merchant_id: request.merchantId,
      application_id: request.applicationId,
      error: errorOf(request, printed),
      fault: faultOf(request),
      stub: stubOf(request),
      ignored: ignoredBy(request)?.slice(),
      resent_from: headerOf(request, RESENT_HEADER),
      sent_by: senderOf(request),
    }),
  };
}

export function toDetail(
  request: RecordedRequest,
  {
    events,
    notes,
    baseUrl,
  }: {
    readonly events: readonly Omit<Delivery, 'body'>[];
    readonly notes: readonly RequestNote[];
    readonly baseUrl: string;
  },
): Static<typeof RequestDetail> {
  const printed = printRequest(request);
  return {
    ...toSummary(request, printed),
    request_headers: [...printed.requestHeaders],
    ...present({ request_body: toBody(printed.requestBody) }),
    response_headers: [...printed.responseHeaders],
    ...present({ response_body: toBody(printed.responseBody) }),
    records: [...recordsOf(request)],
    events: events.map(({ id, eventId, kind, state, createdAt }) => ({
      event_id: eventId,
      event_type: kind,
      delivery_id: id,
      state,
      created_at: printMilliseconds(createdAt),
    })),
    notes: notes.map(({ tone, text: words, requestId }) => ({
      tone,
      text: words,
      ...present({ request_id: requestId }),
    })),
    curl: printCurl(request, printed, baseUrl),
    can_be_resent: canBeResent(request),
  };
}

export function canBeResent(request: RecordedRequest): boolean {
  return !hasUnreadBody(request) && (request.requestBody?.length ?? 0) < MAX_RECORDED_LENGTH;
}

function toBody(body: PrintedBody | undefined): Static<typeof Body> | undefined {
  return body && { text: body.text, is_cut: body.isCut };
}

/** Both generations have a text: `errors[0]` with a code, or `message`. */
function errorOf(
  { status }: RecordedRequest,
  { responseBody }: Pick<PrintedRequest, 'responseBody'>,
): string | undefined {
  if (status < 400) return undefined;
  const { errors, type, message } = (parseBody(responseBody?.text) ?? {}) as {
    errors?: readonly { code?: string; detail?: string }[];
    type?: string;
    message?: string;
  };
  const [first] = errors ?? [];
  const words = first ? [first.code, first.detail] : [type, message];
  return words.filter((word) => typeof word === 'string').join(': ') || undefined;
}
