/** What connects a request in progress with lines of the log: those about the request itself, and those about calls for it. */
export interface RequestTrail {
  readonly requestId: string;
  /** The payment that it makes or changes, as soon as it is known. */
  paymentId?: string;
}
