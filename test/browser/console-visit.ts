/** A developer who has signed in to the console, and what programs send to the server. */
import { randomUUID } from 'node:crypto';
import type { BrowserContextOptions } from 'playwright-core';
import type { ApiResponse } from '../support/http.js';
import type { RealBrowser } from '../support/real-browser.js';
import type { TestServer } from '../support/server.js';
import { type Visit, visit } from './dashboard-visit.js';

/** Signs in with one click, which a sandbox on loopback offers. */
export async function enterConsole(
  browser: RealBrowser,
  server: TestServer,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const visited = await visit(browser, server, undefined, options);
  await visited.open(path);
  await visited.page.getByRole('button', { name: 'Open the console' }).click();
  return visited;
}

/** What a program sends. */
export function send(
  server: TestServer,
  method: string,
  path: string,
  token: string,
  body?: unknown,
): Promise<ApiResponse> {
  return server.call(method, path, { token, ...(body !== undefined && { body }) });
}

export function payment(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    idempotency_key: randomUUID(),
    source_id: 'cnon:card-nonce-ok',
    amount_money: { amount: 1840, currency: 'USD' },
    ...change,
  };
}
