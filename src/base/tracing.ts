/** The interface for traces. `tracing/` implements it with OpenTelemetry, if the operator wants traces (decision 0179). */

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A span to which another one belongs. Only `Tracing` looks inside. */
export type Cause = object;

export interface SpanStart {
  readonly name: string;
  readonly attributes: Attributes;
  /**
   * Default: the current span. The first one becomes the parent, and the others are linked. Empty: the span begins a trace.
   */
  readonly causes?: readonly Cause[];
}

/** A request in progress. */
export interface RequestSpan {
  /** Runs `work` with the span of the request as the current span. */
  enter(work: () => void): void;
  end(name: string, status: number, attributes: Attributes): void;
}

export interface Tracing {
  startRequest(headers: Readonly<Record<string, string | string[] | undefined>>): RequestSpan;
  /** The current span. */
  here(): Cause;
  /** Headers that tell another program about the current span. */
  headers(): Record<string, string>;
  /** Runs `work`, a call to another program, in a span. `work` can add attributes that it learns; `error.type` marks a failure. */
  span<Result>(start: SpanStart, work: (learn: (attributes: Attributes) => void) => Promise<Result>): Promise<Result>;
  /** Sends the spans that were not sent yet. */
  close(): Promise<void>;
}
