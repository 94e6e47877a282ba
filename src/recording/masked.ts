/** An exchange as it is kept: without secrets, and with the few headers that say something about the interface. */
import { printMilliseconds } from '../base/time.js';
import { Masking } from '../sandbox/masking.js';
import type { Json } from '../sandbox/stub-definition.js';
import type { RawHeaders, SeenMessage } from './copy.js';
import { type Content, type Exchange, type Headers, SERVER } from './fixture.js';
import type { SeenExchange } from './recorder.js';

const KEPT_OF_REQUESTS = [
  ...['authorization', 'content-type', 'if-match', 'if-none-match', 'square-version'],
  'tillhouse-employee-session',
];
const KEPT_OF_RESPONSES = ['content-type', 'deprecation', 'link', 'location', 'retry-after', 'sunset'];

/** A nonce stands for a card once. Those for tests are words, such as `cnon:card-nonce-ok`, and stand for all programs. */
const CARD_NONCE = /"(cnon:)(?![a-z]+(?:-[a-z0-9]+)*")[^"]+"/g;

/** Masks the exchanges of one recording: what was secret in one of them is hidden in all. */
export class Masker {
  readonly #target: string;
  readonly #met = new Set<string>();

  /** The address of the server. */
  constructor(target: string) {
    this.#target = target;
  }

  mask({ at, method, path, status, request, response }: SeenExchange): Exchange {
    const masking = new Masking({ isOauth: path.startsWith('/oauth2'), met: this.#met });
    return {
      at: printMilliseconds(at),
      request: { method, path: masking.url(path), ...this.#content(masking, request, KEPT_OF_REQUESTS) },
      response: { status, ...this.#content(masking, response, KEPT_OF_RESPONSES) },
    };
  }

  /** A second pass over the whole, because only now all secrets are known. */
  finish<Whole>(whole: Whole): Whole {
    const masking = new Masking({ isOauth: false, met: this.#met });
    return JSON.parse(masking.again(JSON.stringify(whole)).replaceAll(CARD_NONCE, '"$1****"')) as Whole;
  }

  #content(masking: Masking, { headers, body }: SeenMessage, kept: readonly string[]): Content {
    const shown = keep(headers, kept, (name, value) => this.#place(masking.header(name, value)));
    if (body.length === 0) return { headers: shown };
    const text = String(body);
    if (/form-urlencoded/i.test(shown['content-type'] ?? '')) return { headers: shown, text: masking.form(text) };
    const masked = this.#place(masking.json(text));
    const parsed = parse(masked);
    return { headers: shown, ...(parsed === undefined ? { text: masked } : { body: parsed }) };
  }

  /** The same on every machine. */
  #place(text: string): string {
    return text.replaceAll(this.#target, SERVER);
  }
}

function keep(headers: RawHeaders, kept: readonly string[], print: (name: string, value: string) => string): Headers {
  const found = kept.flatMap((wanted) => {
    const index = headers.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === wanted);
    return index < 0 ? [] : [[wanted, print(wanted, headers[index + 1] ?? '')]];
  });
  return Object.fromEntries(found);
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
