/** An error in the command line or the environment. It is printed as one line, without a stack trace. */
export class UsageError extends Error {}
