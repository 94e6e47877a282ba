/** Who sends a request that is not the program's: commands and pages of ours say so, and a sandbox keeps these requests apart (decision 0272). */

export const SENDER_HEADER = 'tillhouse-sent-by';

/** A page of the console or of the docs, a command, an assistant that uses `tillhouse mcp`, or an event that somebody causes. */
export const SENDERS = ['console', 'docs', 'command', 'mcp', 'trigger'] as const;
export type Sender = (typeof SENDERS)[number];

/** Names the first request in one that the console sends again. */
export const RESENT_HEADER = 'tillhouse-resent';

/** Undefined: a program. */
export function toSender(value: unknown): Sender | undefined {
  return SENDERS.find((each) => each === value);
}
