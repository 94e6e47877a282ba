/** What a stub is: which requests it answers, and how. The same plain JSON is used by files, commands, the console and the test kit (decision 0267). */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/** What a value must be. All that is given must hold. */
export interface ValueRule {
  readonly equals?: Json;
  readonly one_of?: readonly Json[];
  readonly contains?: string;
  /** A text in which `*` stands for any characters. */
  readonly like?: string;
  /** Whether there is a value. */
  readonly present?: boolean;
}

/** A plain value must be equal. */
export type Expected = Exclude<Json, readonly Json[] | JsonObject> | ValueRule;

export interface StubRequest {
  /** Absent: any. */
  readonly method?: string;
  /** `{name}` stands for one part of the path, `*` for any characters in a part, and `**` at the end for the rest. */
  readonly path: string;
  readonly query?: Readonly<Record<string, Expected>>;
  readonly headers?: Readonly<Record<string, Expected>>;
  /** What the body must contain: objects may have more members. */
  readonly body?: Json;
  /** Values in the body by their places, such as `amount_money.amount`. */
  readonly members?: Readonly<Record<string, Expected>>;
}

export interface StubResponse {
  /** Absent: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it is, and everything else as JSON. */
  readonly body?: Json;
  readonly delay_ms?: number;
  /** False: `{{` has no meaning in headers and body. */
  readonly template?: boolean;
}

export interface StubDefinition {
  readonly name?: string;
  readonly request: StubRequest;
  readonly response?: StubResponse;
  /** One after the other. The last one is repeated. */
  readonly responses?: readonly StubResponse[];
  /** How many requests it answers. Absent: all. */
  readonly times?: number;
  /** The highest one is first; absent: 0. Among equal ones, the newest is first. */
  readonly priority?: number;
}

export function responsesOf({ response, responses }: StubDefinition): readonly StubResponse[] {
  return responses ?? (response ? [response] : []);
}

/** The bounds of a stub. */
export const STUB_LIMITS = {
  names: 50,
  text: 1000,
  depth: 24,
  responses: 100,
  places: 100,
  delayMs: 60_000,
  times: 1_000_000,
  priority: 1000,
} as const;
