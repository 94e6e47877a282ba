/** A mistake in how the program was called: shown as one line, without a stack. */
export class UsageError extends Error {}
