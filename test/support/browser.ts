/** A minimal browser for the authorization page: keeps cookies, follows redirects, fills in forms. */
import { PASSWORD } from './dashboard.js';
import { type ApiResponse, callApi } from './http.js';

export interface Form {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function readText(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '');
}

function attribute(tag: string, name: string): string {
  return readText(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
}

/** Follows redirects on this machine only. A redirect to another host is recorded but not followed. */
export class Browser {
  readonly #cookies = new Map<string, { readonly value: string; readonly path: string }>();
  /** The current address and its response. */
  url = '';
  page: ApiResponse = { status: 0, headers: {}, rawHeaders: [], text: '', body: undefined };
  /** Every address that was requested or redirected to, in order. */
  readonly history: string[] = [];

  /** The cookies that it sends to a path. */
  cookieFor(path: string): string {
    const fitting = [...this.#cookies].filter(([, cookie]) => path.startsWith(cookie.path));
    return fitting.map(([name, { value }]) => `${name}=${value}`).join('; ');
  }

  visit(url: string): Promise<this> {
    return this.#go('GET', url);
  }

  /** The form of the page, with the values of its hidden fields. */
  get form(): Form {
    const inputs = [...this.page.text.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([tag]) => tag);
    const [tag = ''] = /<form[^>]*>/.exec(this.page.text) ?? [];
    return {
      action: new URL(attribute(tag, 'action'), this.url).href,
      fields: Object.fromEntries(inputs.map((each) => [attribute(each, 'name'), attribute(each, 'value')])),
    };
  }

  /** Submits the form of the page with these fields and follows the redirects. */
  submit(fields: Readonly<Record<string, string>>, form: Form = this.form): Promise<this> {
    return this.#go('POST', form.action, new URLSearchParams({ ...form.fields, ...fields }).toString());
  }

  signIn(email: string, password: string = PASSWORD): Promise<this> {
    return this.submit({ email, password });
  }

  async #go(method: string, url: string, body?: string): Promise<this> {
    const { origin, pathname, search } = new URL(url);
    // A browser does this on a page with the referrer policy no-referrer (Fetch standard, "append a request Origin header").
    const posted = { origin: 'null', 'content-type': 'application/x-www-form-urlencoded' };
    const cookie = this.cookieFor(pathname);
    this.url = url;
    this.history.push(url);
    this.page = await callApi(origin, method, pathname + search, {
      ...(body !== undefined && { body }),
      headers: { ...(body !== undefined && posted), ...(cookie !== '' && { cookie }) },
    });
    const { 'set-cookie': set = [], location } = this.page.headers;
    for (const each of set) {
      const [, name = '', value = '', path = '/'] = /^([^=]+)=([^;]*)(?:; Path=([^;]*))?/.exec(each) ?? [];
      this.#cookies.set(name, { value, path });
    }
    if (typeof location !== 'string') return this;
    if (/^(?:\?|http:\/\/127\.0\.0\.1:)/.test(location)) return this.#go('GET', new URL(location, url).href);
    this.url = location;
    this.history.push(location);
    return this;
  }
}
