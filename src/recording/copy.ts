/** A copy of a body that passes by, and its text: decompressed, if it is text at all. */
import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** Names and values in turn, as they came. */
export type RawHeaders = readonly string[];

export interface SeenMessage {
  readonly headers: RawHeaders;
  readonly body: Buffer;
}

/** Longer ones are passed on, and not recorded: a stub has 1 MB at most. */
const MAX_LENGTH = 1_000_000;

const LIMIT = { maxOutputLength: MAX_LENGTH };
const DECODERS: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  identity: (body) => body,
  gzip: (body) => gunzipSync(body, LIMIT),
  'x-gzip': (body) => gunzipSync(body, LIMIT),
  deflate: (body) => inflateSync(body, LIMIT),
  br: (body) => brotliDecompressSync(body, LIMIT),
};

export class Copy {
  readonly #from: IncomingMessage;
  readonly #chunks: Buffer[] = [];
  #length = 0;

  constructor(from: IncomingMessage) {
    this.#from = from;
    from.on('data', (chunk: Buffer) => {
      this.#length += chunk.length;
      if (this.#length <= MAX_LENGTH) this.#chunks.push(chunk);
    });
  }

  /** A text says why it cannot be recorded. */
  message(): SeenMessage | string {
    const headers = this.#from.rawHeaders;
    if (this.#length > MAX_LENGTH) return `a body is longer than ${MAX_LENGTH} bytes.`;
    const coding = (this.#from.headers['content-encoding'] ?? 'identity').toLowerCase();
    const decode = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined;
    if (!decode) return `a body is compressed by ${coding}, which is not known here.`;
    try {
      // The response to HEAD is said to be compressed, and has no body.
      const body = this.#length === 0 ? Buffer.alloc(0) : decode(Buffer.concat(this.#chunks));
      new TextDecoder('utf-8', { fatal: true }).decode(body);
      return { headers, body };
    } catch (error) {
      const isTooLong = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
      return isTooLong ? `a body is longer than ${MAX_LENGTH} bytes.` : 'a body is no text.';
    }
  }
}
