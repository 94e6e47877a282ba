/** An operation that failed: what the server said, and the id of the request in the server's log. */

interface WireError {
  readonly code?: string;
  readonly detail?: string;
  readonly field?: string;
}

/** The code of a problem whose response does not say what is wrong. */
const NO_CODE = 'UNKNOWN';
/** Statuses about one request. Proxies send them too, because of their own limits, and another request may succeed. */
const ABOUT_REQUEST = [408, 413, 414, 429, 431];
/** The status "Network Authentication Required". */
const PORTAL = 511;

type ProblemFields = Omit<Problem, keyof Error | 'isOutage' | 'isFromElsewhere' | 'beside'> &
  Partial<Pick<Problem, 'beside'>>;

export class Problem extends Error {
  /** 0 if there was no response. */
  readonly status: number;
  readonly code: string;
  /** The field of the request that is invalid. */
  readonly field: string | undefined;
  readonly requestId: string | undefined;
  /** Further members of the response, such as the sale that the problem is about. */
  readonly beside: Readonly<Record<string, unknown>>;

  constructor(message: string, { status, code, field, requestId, beside = {} }: ProblemFields) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
    this.requestId = requestId;
    this.beside = beside;
  }

  /** The server does not respond, or cannot reach its database. */
  get isOutage(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }

  /** Something before the server has responded, such as the portal of a guest network: the server itself always says what is wrong. */
  get isFromElsewhere(): boolean {
    const { code, status } = this;
    return code === NO_CODE && (status === PORTAL || (status < 500 && !ABOUT_REQUEST.includes(status)));
  }
}

export function unreachable(): Problem {
  const message = 'The server did not respond. Nothing that you typed is lost: try again.';
  return new Problem(message, { status: 0, code: 'UNREACHABLE', field: undefined, requestId: undefined });
}

export async function readProblem(response: Response): Promise<Problem> {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const { errors = [], ...beside } = await response.json().then(
    (body: { errors?: readonly WireError[] }) => body,
    () => ({}) as { errors?: readonly WireError[] },
  );
  const [error = {}] = errors;
  const { detail = `The server responded with ${response.status}.`, code = NO_CODE, field } = error;
  return new Problem(detail, { status: response.status, code, field, requestId, beside });
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Problem(message, { status: 0, code: 'PAGE_ERROR', field: undefined, requestId: undefined });
}
