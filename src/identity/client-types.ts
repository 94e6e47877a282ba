/** Whether an application can keep a secret (RFC 6749 2.1). One that runs on its users' own machines cannot. */
export const CLIENT_TYPES = ['CONFIDENTIAL', 'PUBLIC'] as const;

export type ClientType = (typeof CLIENT_TYPES)[number];
