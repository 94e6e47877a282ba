/** Reads the stream of changes as a browser does, and keeps its events. */
import { get, type IncomingMessage } from 'node:http';
import { get as getOverTls } from 'node:https';
import { pollUntil } from './clock.js';

export interface ChangeEvent {
  readonly name: string;
  readonly topics: readonly string[];
  /** When it arrived, by `performance.now()`. */
  readonly at: number;
}

export class ChangeReader {
  readonly events: ChangeEvent[] = [];
  readonly response: IncomingMessage;
  text = '';
  isOver = false;

  private constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding('utf8').on('data', (chunk: string) => this.#read(chunk));
    for (const end of ['end', 'close', 'error']) {
      response.on(end, () => {
        this.isOver = true;
      });
    }
  }

  static open(baseUrl: string, cookie: string): Promise<ChangeReader> {
    const { port, protocol } = new URL(baseUrl);
    const ours = cookie.replace(/_\d+=/, `_${port}=`); // servers of one database stand behind one balancer
    return new Promise((resolve, reject) => {
      const ask = protocol === 'https:' ? getOverTls : get;
      const options = { headers: { cookie: ours }, rejectUnauthorized: false };
      const request = ask(`${baseUrl}/api/dashboard/changes`, options, (response) =>
        resolve(new ChangeReader(response)),
      );
      request.on('error', reject);
    });
  }

  close(): void {
    this.response.destroy();
  }

  /** Waits for a change of the topic after so many events. Returns it, or undefined if it does not come. */
  async next(topic: string, after = 0): Promise<ChangeEvent | undefined> {
    const found = () => this.events.slice(after).find(({ topics }) => topics.includes(topic));
    await pollUntil(async () => found(), Boolean, 5_000);
    return found();
  }

  async untilOver(): Promise<boolean> {
    await pollUntil(
      async () => this.isOver,
      (isOver) => isOver,
      5_000,
    );
    return this.isOver;
  }

  #read(chunk: string): void {
    this.text += chunk;
    const parts = this.text.split('\n\n');
    this.text = parts.pop() ?? '';
    for (const part of parts) {
      const name = /^event: (.*)$/m.exec(part)?.[1];
      const data = /^data: (.*)$/m.exec(part)?.[1] ?? '{}';
      if (name !== undefined) this.events.push({ name, topics: JSON.parse(data).topics ?? [], at: performance.now() });
    }
  }
}
