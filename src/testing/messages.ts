/** What a test process and the process of its server tell each other. */
import type { Sandbox } from './sandbox.js';
import type { StartOptions } from './start-options.js';

export type ToServer = { readonly kind: 'start'; readonly options: StartOptions } | { readonly kind: 'stop' };

export type FromServer =
  | { readonly kind: 'started'; readonly sandbox: Sandbox }
  /** It could not start, or cannot go on. */
  | { readonly kind: 'failed'; readonly error: PlainError };

/** Errors cannot be sent as they are. */
export interface PlainError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
}

export function toPlain({ name, message, stack }: Error): PlainError {
  return { name, message, stack };
}

export function fromPlain({ name, message, stack }: PlainError): Error {
  return Object.assign(new Error(message), { name, ...(stack !== undefined && { stack }) });
}
