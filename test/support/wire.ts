/** A TCP proxy between a server and its database that a test can cut, block or silence. */
import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * `pass` forwards everything. `refuse` stops listening and cuts all connections. `hang` accepts connections and never responds, and the
 * open ones go silent without being closed, as when packets are dropped. `stall` does that to new connections only.
 */
type Behaviour = 'pass' | 'refuse' | 'hang' | 'stall';

interface Pair {
  readonly near: Socket;
  readonly far: Socket | undefined;
}

export class Wire {
  readonly port: number;
  readonly #target: number;
  readonly #pairs = new Set<Pair>();
  #server: Server;
  #behaviour: Behaviour = 'pass';
  /** Data from the database that contains this text is not forwarded: the connection is cut or goes silent instead. */
  #ambush: { readonly text: string; readonly effect: 'cut' | 'silence'; left: number } | undefined;

  private constructor(server: Server, port: number, target: number) {
    this.#server = server;
    this.port = port;
    this.#target = target;
    server.on('connection', (socket) => this.#accept(socket));
  }

  static async start(target: number): Promise<Wire> {
    const server = createServer({ noDelay: true });
    const port = await listen(server, 0);
    return new Wire(server, port, target);
  }

  async become(behaviour: Behaviour): Promise<void> {
    const before = this.#behaviour;
    this.#behaviour = behaviour;
    if (behaviour === 'hang') this.#silence();
    if (behaviour !== before && (before === 'hang' || before === 'stall')) this.cutAll();
    if (behaviour === 'refuse') {
      this.cutAll();
      await new Promise((resolve) => this.#server.close(resolve));
    } else if (before === 'refuse') {
      this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
      await listen(this.#server, this.port);
    }
  }

  cutAll(): void {
    for (const { near, far } of this.#pairs) {
      near.destroy();
      far?.destroy();
    }
  }

  /** The next statements that contain the text reach the database; their responses are dropped. */
  ambush(text: string, effect: 'cut' | 'silence', times = 1): void {
    this.#ambush = { text, effect, left: times };
  }

  get ambushesLeft(): number {
    return this.#ambush?.left ?? 0;
  }

  async stop(): Promise<void> {
    this.cutAll();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(near: Socket): void {
    const far =
      this.#behaviour === 'pass' ? connect({ port: this.#target, host: '127.0.0.1', noDelay: true }) : undefined;
    const pair = { near, far };
    this.#pairs.add(pair);
    const end = (): void => {
      near.destroy();
      far?.destroy();
      this.#pairs.delete(pair);
    };
    near.on('error', end).on('close', end);
    if (!far) return void near.resume();
    far.on('error', end).on('close', end);
    this.#join(near, far);
  }

  #join(near: Socket, far: Socket): void {
    let isCaught = false;
    near.on('data', (bytes) => {
      if (this.#ambush && this.#ambush.left > 0 && bytes.includes(this.#ambush.text)) {
        this.#ambush.left -= 1;
        isCaught = true;
      }
      far.write(bytes);
    });
    far.on('data', (bytes) => {
      if (!isCaught) near.write(bytes);
      else if (this.#ambush?.effect === 'cut') near.destroy();
    });
  }

  #silence(): void {
    for (const { near, far } of this.#pairs) {
      near.removeAllListeners('data').resume();
      far?.removeAllListeners('data').resume();
    }
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
}
