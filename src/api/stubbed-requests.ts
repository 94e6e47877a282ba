/** Answers requests by stubs: instead of operations, and where there is no operation (decision 0267). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../base/errors.js';
import { type ApiDependencies, recognizeCaller } from './authenticate.js';
import { isTooDeep, LARGEST_BODY_BYTES } from './body-limits.js';
import { sendText } from './compression.js';
import { splitQuery } from './input.js';
import { requestFields } from './log-fields.js';
import type { MerchantContext, Operation } from './operation.js';
import { STUB_HEADER, type StubAnswer, type StubbedRequest } from './stubs.js';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** Wraps a handler with stubs. The sandbox surface has none, so that the operator can always remove them. */
export function withStubs(
  { surface }: Operation,
  { stubs, faults }: Pick<ApiDependencies, 'stubs' | 'faults'>,
  handler: Handler,
): Handler {
  if (!stubs || surface === 'sandbox') return handler;
  const handleWithStubs = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const seen = seenBy(request, request.body);
    const answer = stubs.couldAnswer(seen) ? await stubs.answer(seen) : undefined;
    return answer ? send(request, reply, answer, { faults }) : handler(request, reply);
  };
  return (request, reply) => {
    const handle = (exist: boolean) => (exist ? handleWithStubs : handler)(request, reply);
    const exist = stubs.exist();
    return exist instanceof Promise ? exist.then(handle) : handle(exist);
  };
}

/** Answers a request for which there is no operation. False: no stub is for it, and its body was not read. */
export async function answerUnknown(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: ApiDependencies,
): Promise<boolean> {
  const { stubs, faults, requestLog } = dependencies;
  const target = { method: request.method, path: pathIn(request.url) };
  if (!stubs || /^\/api\/sandbox(?:\/|$)/.test(target.path)) return false;
  if (!(await stubs.exist()) || !stubs.couldAnswer(target)) return false;
  await recognizeCaller(request, dependencies);
  const body = await readBody(request);
  if (body.length > 0) request.sent = body;
  const answer = await stubs.answer(seenBy(request, parse(body, request.headers['content-type'])));
  if (!answer) return false;
  await send(request, reply, answer, {
    faults,
    record: (payload) => requestLog?.record(undefined, request, reply, { payload }), // other requests are recorded by their routes
  });
  return true;
}

function seenBy(request: FastifyRequest, body: unknown): StubbedRequest {
  const { method, url, raw } = request;
  const { merchant, now } = (request.context ?? {}) as Partial<MerchantContext>;
  const { rawHeaders } = raw; // the parsed ones have a simplified content type
  const headers: Record<string, string> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers[(rawHeaders[index] ?? '').toLowerCase()] = rawHeaders[index + 1] ?? '';
  }
  const mark = url.indexOf('?');
  const query = mark < 0 ? {} : splitQuery(url.slice(mark + 1));
  const path = pathIn(url);
  return { method, url, path, headers, query, body, merchant: merchant && now && { id: merchant.id, now } };
}

/** A request line can have a whole URL. */
function pathIn(url: string): string {
  if (url.startsWith('/')) return url.split('?', 1)[0] ?? '';
  return URL.canParse(url) ? new URL(url).pathname : url;
}

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { id, status, headers, body, delayMs }: StubAnswer,
  { faults, record }: Pick<ApiDependencies, 'faults'> & { readonly record?: (payload: unknown) => void },
): Promise<unknown> {
  request.log.info({ ...requestFields(request), stub: id }, 'answered by a stub');
  if (delayMs > 0) await faults?.wait(delayMs);
  reply.code(status).headers(headers).header(STUB_HEADER, id).serializer(String);
  record?.(body);
  return body === undefined ? reply.send() : sendText(reply, body);
}

/** Reads the body of a request that has no route, and so no parser. */
async function readBody({ raw }: FastifyRequest): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of raw as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LARGEST_BODY_BYTES) throw new Refusal('REQUEST_ENTITY_TOO_LARGE');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** JSON, a form, or text. */
function parse(body: Buffer, type = ''): unknown {
  if (body.length === 0) return undefined;
  if (type.includes('form')) return splitQuery(String(body));
  if (isTooDeep(body)) throw new Refusal('EXPECTED_JSON_BODY', { detail: 'The body is nested too deeply.' });
  try {
    return JSON.parse(String(body));
  } catch {
    return String(body);
  }
}
