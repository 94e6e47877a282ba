/** An operation that failed: what the server said, and the id under which its log has the request. */

interface WireError {
  readonly code?: string;
  readonly detail?: string;
  readonly field?: string;
}

export class Problem extends Error {
  /** 0 if there was no response. */
  readonly status: number;
  readonly code: string;
  /** The field of the request that is invalid. */
  readonly field: string | undefined;
  readonly requestId: string | undefined;

  constructor(message: string, { status, code, field, requestId }: Omit<Problem, keyof Error | 'isOutage'>) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
    this.requestId = requestId;
  }

  /** The server does not respond, or cannot reach its database. */
  get isOutage(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }
}

export function unreachable(): Problem {
  const message = 'The server did not respond. Nothing that you typed is lost: try again.';
  return new Problem(message, { status: 0, code: 'UNREACHABLE', field: undefined, requestId: undefined });
}

export async function readProblem(response: Response): Promise<Problem> {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const [error = {}] = await response.json().then(
    ({ errors }: { errors?: readonly WireError[] }) => errors ?? [],
    () => [],
  );
  const { detail = `The server responded with ${response.status}.`, code = 'UNKNOWN', field } = error;
  return new Problem(detail, { status: response.status, code, field, requestId });
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Problem(message, { status: 0, code: 'PAGE_ERROR', field: undefined, requestId: undefined });
}
