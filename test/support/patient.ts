/** How long a test waits for a webhook of the test kit. A busy machine is slow, not wrong. */
export const PATIENT = { timeoutMs: 60_000 };
