/**
 * Hides secrets in recorded requests: by the names of headers, parameters and members, and wherever the same value appears again
 * (decision 0164).
 */
import { parse as parseQuery } from 'node:querystring';

const HIDDEN = '****';
/** The end of a long secret is shown, so that one can tell two of them apart. */
const SHOWN_END = 4;
const MIN_LENGTH_TO_SHOW_END = 24;
/** A shorter value, such as a passcode, may appear somewhere else by chance. */
const MIN_LENGTH_TO_FIND = 12;

const SECRET_NAME =
  /(?:^|[_-])(?:token|tokens|secret|password|passcode|signature_key|code_verifier|pin|session|operator_key|account_number|authorization|cookie|cvv)$/i;
const PUBLIC_NAMES = new Set(['batch_token', 'page_token', 'version_token']);
/** Codes of errors and pairing have this name too. */
const OAUTH_NAMES = new Set(['code']);
const COOKIE_HEADERS = new Set(['cookie', 'set-cookie']);

/** Each request needs an instance of its own, which remembers the secrets that it has found. Those of one recording share them. */
export class Masking {
  readonly #isOauth: boolean;
  readonly #met: Set<string>;

  constructor({ isOauth, met = new Set() }: { readonly isOauth: boolean; readonly met?: Set<string> }) {
    this.#isOauth = isOauth;
    this.#met = met;
  }

  header(name: string, value: string): string {
    const lower = name.toLowerCase();
    if (COOKIE_HEADERS.has(lower)) return this.#cookies(value);
    if (lower === 'location' || lower === 'referer') return this.url(value);
    if (!SECRET_NAME.test(lower)) return value;
    // The scheme is not secret: a missing `Bearer` is a common mistake.
    const [, scheme = '', secret = ''] = /^((?:bearer +)?(?:client +|basic +)?)(.*)$/i.exec(value) ?? [];
    return scheme + this.#hide(secret);
  }

  /** A path with a query. `template` is the declared path, with the names of its parameters in braces. */
  url(url: string, template?: string): string {
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const query = mark < 0 ? '' : `?${this.form(url.slice(mark + 1))}`;
    return (template === undefined ? path : this.#path(path, template)) + query;
  }

  /** `a=1&b=2`. What has no secret stays as it was sent. */
  form(text: string): string {
    return text
      .split('&')
      .map((part) => {
        const [[name, value] = ['', '']] = Object.entries(parseQuery(part));
        if (!this.#isSecret(name) || typeof value !== 'string' || value === '') return part;
        return `${part.slice(0, part.indexOf('='))}=${this.#hide(value)}`;
      })
      .join('&');
  }

  /** Pretty-printed if it is valid JSON. */
  json(text: string): string {
    try {
      return JSON.stringify(this.#value(JSON.parse(text)), null, 2);
    } catch {
      return this.#brokenJson(text);
    }
  }

  /** Hides the secrets that were found before, wherever they appear. */
  again(text: string): string {
    let hidden = text;
    for (const secret of this.#met) hidden = hidden.replaceAll(secret, shown(secret));
    return hidden;
  }

  #value(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#value(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        this.#isSecret(name) ? this.#secretValue(member) : this.#value(member),
      ]),
    );
  }

  /** Hides a secret, or each secret of a list. In an object, the names of its members decide. */
  #secretValue(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#secretValue(each));
    return isPlain(value) ? this.#hide(String(value)) : this.#value(value);
  }

  /** A body that is cut off, or that a program prints wrongly. */
  #brokenJson(text: string): string {
    return text.replaceAll(
      /"([\w-]+)"(\s*:\s*)(?:"((?:[^"\\]|\\.)*)("|$)|(\d+))/g,
      (all, name: string, colon: string, quoted: string | undefined, _end: string, number: string | undefined) =>
        this.#isSecret(name) ? `"${name}"${colon}"${this.#hide(quoted ?? number ?? '')}"` : all,
    );
  }

  #cookies(value: string): string {
    return value
      .split('; ')
      .map((cookie) => {
        const [, name, secret] = /^(tillhouse_[a-z_]+\d*|[^=;]+)=(.*)$/.exec(cookie) ?? [];
        return name === undefined || /^(?:path|max-age|samesite|expires|domain)$/i.test(name)
          ? cookie
          : `${name}=${this.#hide(secret ?? '')}`;
      })
      .join('; ');
  }

  #path(path: string, template: string): string {
    const names = template.split('/');
    return path
      .split('/')
      .map((part, index) => {
        const [, name] = /^\{(\w+)\}$/.exec(names[index] ?? '') ?? [];
        return name !== undefined && this.#isSecret(name) ? this.#hide(part) : part;
      })
      .join('/');
  }

  #isSecret(name: string): boolean {
    if (PUBLIC_NAMES.has(name)) return false;
    return SECRET_NAME.test(name) || (this.#isOauth && OAUTH_NAMES.has(name));
  }

  #hide(secret: string): string {
    if (secret.length >= MIN_LENGTH_TO_FIND) this.#met.add(secret);
    return shown(secret);
  }
}

/** Whether this stands for a secret. */
export function isMasked(text: string): boolean {
  return text.startsWith(HIDDEN);
}

function shown(secret: string): string {
  return secret.length < MIN_LENGTH_TO_SHOW_END ? HIDDEN : HIDDEN + secret.slice(-SHOWN_END);
}

function isPlain(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}
