/** Prints a recorded request and its response without secrets. */
import { MAX_RECORDED_LENGTH, type RecordedRequest } from '../api/recorded-requests.js';
import { Masking } from './masking.js';

export interface PrintedHeader {
  readonly name: string;
  readonly value: string;
}

export interface PrintedBody {
  readonly text: string;
  /** Whether only its beginning was kept. */
  readonly isCut: boolean;
}

export interface PrintedRequest {
  readonly url: string;
  readonly requestHeaders: readonly PrintedHeader[];
  readonly requestBody: PrintedBody | undefined;
  readonly responseHeaders: readonly PrintedHeader[];
  readonly responseBody: PrintedBody | undefined;
}

export function printRequest(request: RecordedRequest): PrintedRequest {
  const masking = new Masking({ isOauth: request.operation?.surface === 'oauth2' });
  const requestType = headerOf(request, 'content-type') ?? '';
  const printed = {
    url: masking.url(request.url, request.operation?.path),
    requestHeaders: pairsOf(request.requestHeaders).map(([name, value]) => ({
      name,
      value: masking.header(name, value),
    })),
    requestBody: printBody(masking, request.requestBody, requestType),
    responseHeaders: pairsOf(request.responseHeaders).map(([name, value]) => ({
      name,
      value: masking.header(name, value),
    })),
    responseBody: printBody(masking, request.responseBody, headerIn(request.responseHeaders, 'content-type') ?? ''),
  };
  // A second pass, because only now all secrets are known.
  const again = (text: string): string => masking.again(text);
  const body = (each: PrintedBody | undefined) => each && { ...each, text: again(each.text) };
  const headers = (each: readonly PrintedHeader[]) => each.map(({ name, value }) => ({ name, value: again(value) }));
  return {
    url: again(printed.url),
    requestHeaders: headers(printed.requestHeaders),
    requestBody: body(printed.requestBody),
    responseHeaders: headers(printed.responseHeaders),
    responseBody: body(printed.responseBody),
  };
}

/** What a line of a list shows. It costs less than the whole: lists have hundreds of lines. */
export function printLine(request: RecordedRequest): Pick<PrintedRequest, 'url' | 'responseBody'> {
  if (request.status >= 400) return printRequest(request); // the line has its error
  return printRequest({ ...request, requestBody: undefined, responseBody: undefined });
}

/** The value of a header of the request, as it was sent. */
export function headerOf({ requestHeaders }: RecordedRequest, wanted: string): string | undefined {
  return headerIn(requestHeaders, wanted);
}

/** The value of a header among names and values in turn. */
export function headerIn(headers: readonly string[], wanted: string): string | undefined {
  return pairsOf(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** Headers in their order, from names and values in turn. */
export function pairsOf(headers: readonly string[]): [name: string, value: string][] {
  return headers.flatMap((name, index) =>
    index % 2 === 0 ? [[name, headers[index + 1] ?? ''] as [string, string]] : [],
  );
}

/** The JSON of a body; undefined if the body is not JSON. */
export function parseBody(body: string | Buffer | undefined): unknown {
  if (body === undefined) return undefined;
  try {
    return JSON.parse(String(body));
  } catch {
    return undefined;
  }
}

function printBody(masking: Masking, body: RecordedRequest['requestBody'], type: string): PrintedBody | undefined {
  if (body === undefined || body.length === 0) return undefined;
  const isCut = body.length >= MAX_RECORDED_LENGTH;
  if (type.includes('html')) return { text: '(HTML)', isCut: false }; // it contains the tokens of forms
  const text = String(body);
  return { text: type.includes('form') ? masking.form(text) : masking.json(text), isCut };
}
