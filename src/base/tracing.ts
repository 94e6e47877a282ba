/** What is traced, for the rooms that do it. `tracing/` implements it with OpenTelemetry, if the operator wants traces (decision 0179). */

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A span to which another one belongs. Only `Tracing` looks inside. */
export type Cause = object;

export interface SpanStart {
  readonly name: string;
  readonly attributes: Attributes;
  /**
   * Default: the span that runs here. The first one becomes the parent, and the others are linked. None: the span begins a trace.
   */
  readonly causes?: readonly Cause[];
}

/** A request in progress. */
export interface RequestSpan {
  /** What `work` does belongs to the request. */
  enter(work: () => void): void;
  end(name: string, status: number, attributes: Attributes): void;
}

export interface Tracing {
  startRequest(headers: Readonly<Record<string, string | string[] | undefined>>): RequestSpan;
  /** The span that runs here. */
  here(): Cause;
  /** Headers that tell another program about the span that runs here. */
  headers(): Record<string, string>;
  /** A span of something that the server asks of another program. Work can add attributes that it learns; `error.type` marks a failure. */
  span<Result>(start: SpanStart, work: (learn: (attributes: Attributes) => void) => Promise<Result>): Promise<Result>;
  /** Sends what is left. */
  close(): Promise<void>;
}
