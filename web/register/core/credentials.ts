/** What requests are sent with. Set by core/device.ts and core/people.ts. */
export const credentials: { token: string | undefined; session: string | undefined } = {
  token: undefined,
  session: undefined,
};
