/**
 * Keeps requests and responses as bytes in a few blocks that are used again and again. Kept objects would be copied and traversed by every
 * garbage collection, which costs each request more than copying its bytes once (decision 0190).
 */
import { type Instant, instant } from '../base/time.js';

/** An operation, or a page. */
export interface Named {
  readonly surface: string;
  readonly name: string;
  readonly path: string;
}

/** A request and its response. */
export interface RecordedRequest {
  /** The id in the header `x-request-id` of the response. */
  readonly id: string;
  /** When it came, in real time. */
  readonly at: Instant;
  readonly durationMs: number;
  readonly method: string;
  /** The path with the query. */
  readonly url: string;
  /** Undefined: nothing is at this path. */
  readonly operation: Named | undefined;
  readonly merchantId: string | undefined;
  readonly applicationId: string | undefined;
  /** 0: a fault reset the connection. */
  readonly status: number;
  /** Names and values in turn. */
  readonly requestHeaders: readonly string[];
  /** Undefined: empty, or refused before it was read. Only the beginning of a long one. */
  readonly requestBody: Buffer | undefined;
  /** Names and values in turn. */
  readonly responseHeaders: readonly string[];
  /** Undefined: a stream, or none. Only the beginning of a long one. */
  readonly responseBody: Buffer | undefined;
}

export type Headers = Readonly<Record<string, number | string | readonly string[] | undefined>>;

/** Headers that many responses have. */
export interface CommonHeaders {
  readonly values: Readonly<Record<string, string>>;
  readonly count: number;
}

export function toCommonHeaders(values: Readonly<Record<string, string>>): CommonHeaders {
  return { values, count: Object.keys(values).length };
}

/** Path and headers as one text. */
export interface Head {
  readonly text: string;
  /** Headers of the response that are not in the text, because many responses have the same. Undefined: all are in the text. */
  readonly common: Readonly<Record<string, string>> | undefined;
}

/** A request to add. */
export interface NewRecordedRequest
  extends Pick<RecordedRequest, 'at' | 'durationMs' | 'status' | 'operation' | 'merchantId' | 'applicationId'> {
  /** What `joinHead` returns. */
  readonly head: Head;
  readonly requestBody: unknown;
  readonly responseBody: unknown;
}

/** The requests of a merchant in a range of time. */
export interface RecordedSpan {
  readonly merchantId: string;
  readonly since: Instant;
  /** Absent: until now. */
  readonly until?: Instant;
}

export interface RequestLogBound {
  readonly maxRequests: number;
  readonly maxBytes: number;
}

/** The beginning of a longer body is kept. */
export const MAX_RECORDED_LENGTH = 128 * 1024;
/** Has room for the longest request with its response. */
const BLOCK_LENGTH = 512 * 1024;
const MAX_HEAD_LENGTH = BLOCK_LENGTH - 2 * MAX_RECORDED_LENGTH;

/** Neither headers nor paths can contain it. */
const SEPARATOR = '\0';
/** Before the headers of the response: no header has an empty name. */
const RESPONSE_MARK = '';

/** The indexes of the numbers of a request. NUMBERS is how many it has. */
const AT = 0;
const DURATION = 1;
const STATUS = 2;
const BLOCK = 3;
const START = 4;
const HEAD_LENGTH = 5;
const REQUEST_LENGTH = 6;
const RESPONSE_LENGTH = 7;
const NUMBERS = 8;
/** A length: there is no body. */
const NO_BODY = -1;
/** A status: the request was removed. */
const REMOVED = -1;

export class RecordedRequests {
  readonly #maxRequests: number;
  readonly #maxBlocks: number;
  /** A ring buffer with the numbers of each request. The lists below have the rest of it at the same place. */
  readonly #numbers: Float64Array;
  readonly #operations: (Named | undefined)[];
  readonly #merchantIds: (string | undefined)[];
  readonly #applicationIds: (string | undefined)[];
  readonly #commonHeaders: Head['common'][];
  #oldest = 0;
  #count = 0;
  readonly #blocks: Buffer[] = [];
  /** How many requests are in each block. */
  readonly #users: number[] = [];
  /** The block that is being filled, and where its free part begins. */
  #block = -1;
  #end = BLOCK_LENGTH;

  constructor({ maxRequests, maxBytes }: RequestLogBound) {
    this.#maxRequests = maxRequests;
    this.#maxBlocks = Math.max(1, Math.floor(maxBytes / BLOCK_LENGTH));
    this.#numbers = new Float64Array(maxRequests * NUMBERS);
    this.#operations = new Array(maxRequests).fill(undefined);
    this.#merchantIds = new Array(maxRequests).fill(undefined);
    this.#applicationIds = new Array(maxRequests).fill(undefined);
    this.#commonHeaders = new Array(maxRequests).fill(undefined);
  }

  add(given: NewRecordedRequest): void {
    const { head, requestBody, responseBody } = given;
    const { text, common } = head;
    if (text.length > MAX_HEAD_LENGTH) return;
    if (this.#count === this.#maxRequests) this.#dropOldest();
    this.#makeRoom(text.length + mostBytesOf(requestBody) + mostBytesOf(responseBody));
    const block = this.#blocks[this.#block] as Buffer;
    const start = this.#end;
    this.#end += block.write(text, start, 'latin1');
    const requestLength = write(block, this.#end, requestBody);
    this.#end += Math.max(0, requestLength);
    const responseLength = write(block, this.#end, responseBody);
    this.#end += Math.max(0, responseLength);
    const place = (this.#oldest + this.#count) % this.#maxRequests;
    const numbers = this.#numbers;
    const from = place * NUMBERS;
    numbers[from + AT] = given.at;
    numbers[from + DURATION] = given.durationMs;
    numbers[from + STATUS] = given.status;
    numbers[from + BLOCK] = this.#block;
    numbers[from + START] = start;
    numbers[from + HEAD_LENGTH] = text.length;
    numbers[from + REQUEST_LENGTH] = requestLength;
    numbers[from + RESPONSE_LENGTH] = responseLength;
    this.#operations[place] = given.operation;
    this.#merchantIds[place] = given.merchantId;
    this.#applicationIds[place] = given.applicationId;
    this.#commonHeaders[place] = common;
    this.#users[this.#block] = (this.#users[this.#block] ?? 0) + 1;
    this.#count++;
  }

  /** Copies each request when the caller asks for it, so the caller can use it while others are added. */
  *newestFirst(): Generator<RecordedRequest> {
    for (let age = 0; age < this.#count; age++) {
      const place = (this.#oldest + this.#count - 1 - age) % this.#maxRequests;
      if (this.#number(place, STATUS) !== REMOVED) yield this.#read(place);
    }
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Overwrites their bytes, which may be personal data. The space is used again after all older requests are gone. */
  removeOf({ merchantId, since, until }: RecordedSpan): void {
    for (let age = 0; age < this.#count; age++) {
      const place = (this.#oldest + age) % this.#maxRequests;
      const at = this.#number(place, AT);
      if (this.#merchantIds[place] === merchantId && at >= since && (until === undefined || at <= until)) {
        this.#numbers[place * NUMBERS + STATUS] = REMOVED;
        this.#overwrite(place);
      }
    }
  }

  #overwrite(place: number): void {
    const block = this.#blocks[this.#number(place, BLOCK)] as Buffer;
    const lengths = [HEAD_LENGTH, REQUEST_LENGTH, RESPONSE_LENGTH].map((which) => this.#number(place, which));
    const start = this.#number(place, START);
    block.fill(0, start, start + lengths.reduce((sum, length) => sum + Math.max(0, length), 0));
  }

  clear(): void {
    while (this.#count > 0) this.#dropOldest();
  }

  #number(place: number, which: number): number {
    return this.#numbers[place * NUMBERS + which] ?? 0;
  }

  #dropOldest(): void {
    const block = this.#number(this.#oldest, BLOCK);
    this.#users[block] = (this.#users[block] ?? 0) - 1;
    this.#oldest = (this.#oldest + 1) % this.#maxRequests;
    this.#count--;
  }

  #makeRoom(length: number): void {
    if (this.#end + length <= BLOCK_LENGTH) return;
    this.#block = this.#findUnused();
    this.#end = 0;
  }

  #findUnused(): number {
    let unused = this.#users.indexOf(0);
    if (unused < 0 && this.#blocks.length < this.#maxBlocks) {
      this.#users.push(0);
      return this.#blocks.push(Buffer.allocUnsafeSlow(BLOCK_LENGTH)) - 1;
    }
    for (; unused < 0; unused = this.#users.indexOf(0)) this.#dropOldest();
    return unused;
  }

  #read(place: number): RecordedRequest {
    const block = this.#blocks[this.#number(place, BLOCK)] as Buffer;
    const start = this.#number(place, START);
    const afterHead = start + this.#number(place, HEAD_LENGTH);
    const requestLength = this.#number(place, REQUEST_LENGTH);
    return {
      ...splitHead({ text: block.toString('latin1', start, afterHead), common: this.#commonHeaders[place] }),
      at: instant(this.#number(place, AT)),
      durationMs: this.#number(place, DURATION),
      status: this.#number(place, STATUS),
      operation: this.#operations[place],
      merchantId: this.#merchantIds[place],
      applicationId: this.#applicationIds[place],
      requestBody: copy(block, afterHead, requestLength),
      responseBody: copy(block, afterHead + Math.max(0, requestLength), this.#number(place, RESPONSE_LENGTH)),
    };
  }
}

type Parts = Pick<RecordedRequest, 'id' | 'method' | 'url' | 'requestHeaders' | 'responseHeaders'>;

/**
 * Paths and headers have only characters of one byte. A value can be a list, which becomes several headers. Headers that are equal to
 * those in `common` are left out of the text: joining them took half of the time that keeping a request took.
 */
export function joinHead(
  { id, method, url, requestHeaders }: Omit<Parts, 'responseHeaders'>,
  responseHeaders: Headers,
  { values: common, count }: CommonHeaders,
): Head {
  let others = '';
  let missing = count;
  for (const name in responseHeaders) {
    const value = responseHeaders[name];
    if (value !== undefined && value === common[name]) missing--;
    else others += joinHeader(name, value);
  }
  const sent = requestHeaders.length > 0 ? `${SEPARATOR}${requestHeaders.join(SEPARATOR)}` : '';
  const front = `${id}${SEPARATOR}${method}${SEPARATOR}${url}${sent}${SEPARATOR}${RESPONSE_MARK}`;
  if (missing === 0) return { text: front + others, common };
  let all = '';
  for (const name in responseHeaders) all += joinHeader(name, responseHeaders[name]);
  return { text: front + all, common: undefined };
}

function joinHeader(name: string, value: Headers[string]): string {
  if (value === undefined) return '';
  if (!Array.isArray(value)) return `${SEPARATOR}${name}${SEPARATOR}${value as number | string}`;
  return value.map((each) => `${SEPARATOR}${name}${SEPARATOR}${each}`).join('');
}

function splitHead({ text, common }: Head): Parts {
  const [id = '', method = '', url = '', ...headers] = text.split(SEPARATOR);
  const mark = headers.findIndex((each, index) => index % 2 === 0 && each === RESPONSE_MARK);
  const responseHeaders = [...Object.entries(common ?? {}).flat(), ...headers.slice(mark + 1)];
  return { id, method, url, requestHeaders: headers.slice(0, mark), responseHeaders };
}

/** A character of a text takes up to three bytes. */
function mostBytesOf(body: unknown): number {
  if (typeof body === 'string') return Math.min(body.length * 3, MAX_RECORDED_LENGTH);
  return Buffer.isBuffer(body) ? Math.min(body.length, MAX_RECORDED_LENGTH) : 0;
}

/** Returns the number of bytes. */
function write(block: Buffer, start: number, body: unknown): number {
  if (Buffer.isBuffer(body)) return body.copy(block, start, 0, MAX_RECORDED_LENGTH);
  if (typeof body !== 'string') return NO_BODY;
  if (body.length * 3 <= MAX_RECORDED_LENGTH) return block.write(body, start);
  return Buffer.from(body.slice(0, MAX_RECORDED_LENGTH)).copy(block, start, 0, MAX_RECORDED_LENGTH);
}

function copy(block: Buffer, start: number, length: number): Buffer | undefined {
  return length === NO_BODY ? undefined : Buffer.from(block.subarray(start, start + length));
}
