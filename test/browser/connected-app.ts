/** A small web application as a developer would write it: the published client `square`, a few pages, and a webhook. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SquareClient, WebhooksHelper } from 'square';
import type { TestApplication } from '../support/oauth.js';

export interface ReceivedEvent {
  readonly type: string;
  readonly subjectId: string;
  /** Whether the signature is valid. */
  readonly genuine: boolean;
}

/** Keeps the tokens of one merchant at a time, which is enough for a test. */
export class ConnectedApp {
  readonly received: ReceivedEvent[] = [];
  /** The parameters of the redirects it received, in order. */
  readonly arrivals: Readonly<Record<string, string>>[] = [];
  tokens: { accessToken: string; refreshToken: string } | undefined;
  readonly #http: Server;
  readonly #states = new Set<string>();
  #application: TestApplication | undefined;
  #authorizeUrl = '';
  #signatureKey = '';
  #baseUrl = '';

  private constructor() {
    this.#http = createServer(async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', this.url);
      if (pathname === '/hook') {
        await this.#receive(request);
        response.end();
        return;
      }
      const shown = await this.#show(pathname, Object.fromEntries(searchParams));
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(`<!doctype html><title>Sales Wizard</title><link rel="icon" href="data:,">${shown}`);
    });
  }

  static async open(): Promise<ConnectedApp> {
    const app = new ConnectedApp();
    app.#http.listen(0, '127.0.0.1');
    await once(app.#http, 'listening');
    return app;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  get redirectUrl(): string {
    return `${this.url}/callback`;
  }

  /** The settings of the application: its id and secret, and the server's URL. */
  configure(baseUrl: string, application: TestApplication): void {
    this.#baseUrl = baseUrl;
    this.#application = application;
  }

  /** Sets the permissions that its link requests. */
  ask(parameters: Readonly<Record<string, string>>): void {
    const { id } = this.#known();
    const state = randomUUID();
    this.#states.add(state);
    this.#authorizeUrl = `${this.#baseUrl}/oauth2/authorize?${new URLSearchParams({ client_id: id, state, ...parameters })}`;
  }

  client(): SquareClient {
    return this.#clientWith(this.tokens?.accessToken ?? '');
  }

  async refresh(): Promise<void> {
    await this.#obtain({ grantType: 'refresh_token', refreshToken: this.tokens?.refreshToken ?? '' });
  }

  async subscribe(eventTypes: string[]): Promise<void> {
    const { subscription } = await this.client().webhooks.subscriptions.create({
      subscription: { name: 'What happens', eventTypes, notificationUrl: `${this.url}/hook` },
    });
    this.#signatureKey = subscription?.signatureKey ?? '';
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    this.#http.close();
    await once(this.#http, 'close');
  }

  async #show(path: string, parameters: Readonly<Record<string, string>>): Promise<string> {
    const address = this.#authorizeUrl.replaceAll('&', '&amp;');
    if (path === '/callback') return this.#arrive(parameters);
    if (path === '/frame') return `<iframe name="framed" src="${address}"></iframe>`;
    return `<h1>Sales Wizard</h1><a href="${address}">Connect your business</a>`;
  }

  async #arrive(parameters: Readonly<Record<string, string>>): Promise<string> {
    this.arrivals.push(parameters);
    const { code, state = '', error } = parameters;
    if (!this.#states.has(state)) return '<h1>You did not begin here</h1>';
    if (code === undefined) return `<h1>Not connected: ${error}</h1>`;
    await this.#obtain({ grantType: 'authorization_code', code });
    return '<h1>Connected</h1>';
  }

  async #obtain(grant: { grantType: string; code?: string; refreshToken?: string }): Promise<void> {
    const { id, secret } = this.#known();
    const { oAuth } = this.#clientWith('');
    const answer = await oAuth.obtainToken({ clientId: id, clientSecret: secret, ...grant });
    this.tokens = { accessToken: answer.accessToken ?? '', refreshToken: answer.refreshToken ?? '' };
  }

  async #receive(request: IncomingMessage): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const requestBody = Buffer.concat(chunks).toString();
    const genuine = await WebhooksHelper.verifySignature({
      requestBody,
      signatureHeader: String(request.headers['x-square-hmacsha256-signature']),
      signatureKey: this.#signatureKey,
      notificationUrl: `${this.url}/hook`,
    });
    const { type, data } = JSON.parse(requestBody);
    this.received.push({ type, subjectId: data.id, genuine });
  }

  #clientWith(token: string): SquareClient {
    return new SquareClient({ baseUrl: this.#baseUrl, token, maxRetries: 0 });
  }

  #known(): TestApplication {
    if (!this.#application) throw new Error('the application was not configured');
    return this.#application;
  }
}
