/** A proxy between browsers and a server, which loses requests and responses, or all of the network. */
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { LocalServer } from './local-server.js';

/**
 * A request is lost, or its response is lost after the server has committed, or the request waits for a response forever, or the portal of
 * a guest network responds with its own page.
 */
export type Cut = 'request' | 'response' | 'silence' | 'portal';

export class CutProxy extends LocalServer {
  readonly #target: URL;
  #cuts: { readonly path: RegExp; readonly cut: Cut }[] = [];
  #changes = new Map<string, (text: string) => string>();
  isUp = true;
  /** How many responses were lost. */
  lost = 0;
  /** Method and path of each request that has arrived here. */
  readonly requests: string[] = [];

  private constructor(target: string) {
    super();
    this.#target = new URL(target);
  }

  static start(target: string): Promise<CutProxy> {
    return new CutProxy(target).listen();
  }

  /** Cuts all requests to such a path, because browsers repeat a request whose connection was lost. */
  cut(path: RegExp, cut: Cut): void {
    this.#cuts.push({ path, cut });
  }

  heal(): void {
    this.#cuts = [];
  }

  /** Makes the proxy like a new one. */
  reset(): void {
    this.heal();
    this.#changes.clear();
    this.isUp = true;
    this.lost = 0;
    this.requests.length = 0;
  }

  has(request: string): boolean {
    return this.requests.includes(request);
  }

  /** Changes the text of a file on its way. */
  change(path: string, change: (text: string) => string): void {
    this.#changes.set(path, change);
  }

  #lose({ socket }: IncomingMessage): void {
    this.lost += 1;
    socket.destroy();
  }

  protected override answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method = '', url = '' } = incoming;
    this.requests.push(`${method} ${url}`);
    const found = this.#cuts.find(({ path }) => path.test(url));
    if (!this.isUp || found?.cut === 'request') return void incoming.socket.destroy();
    if (found?.cut === 'silence') return;
    if (found?.cut === 'portal') {
      return void outgoing.writeHead(401, { 'content-type': 'text/html' }).end('<h1>Accept our terms to go on</h1>');
    }
    const change = this.#changes.get(url);
    const { hostname, port } = this.#target;
    const headers = { ...incoming.headers, ...(change && { 'accept-encoding': 'identity' }) };
    if (change) delete headers['if-none-match'];
    const passed = request({ hostname, port, method, path: url, headers }, (response) => {
      if (found?.cut === 'response') return void response.resume().on('end', () => this.#lose(incoming));
      if (!change) return void response.pipe(outgoing.writeHead(response.statusCode ?? 502, response.headers));
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const { 'content-length': _, etag: __, ...rest } = response.headers;
        outgoing.writeHead(response.statusCode ?? 502, rest).end(change(Buffer.concat(parts).toString()));
      });
    });
    passed.on('error', () => incoming.socket.destroy());
    incoming.pipe(passed);
  }
}
