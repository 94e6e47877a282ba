/** Prints a request as a command of curl. */

export interface CurlHeader {
  readonly name: string;
  readonly value: string;
  /** A variable of the shell whose value follows: the developer has the credential there. */
  readonly variable?: string;
}

export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly CurlHeader[];
  readonly body: string | undefined;
}

export function printCurlCommand({ method, url, headers, body }: CurlRequest): string {
  const isPlainGet = method === 'GET' && body === undefined;
  const lines = [
    `curl ${isPlainGet ? '' : `-X ${method} `}${quote(url)}`,
    ...headers.map((header) => `-H ${printHeader(header)}`),
    ...(body === undefined ? [] : [`-d ${quote(body)}`]),
  ];
  return lines.join(' \\\n  ');
}

function printHeader({ name, value, variable }: CurlHeader): string {
  return variable === undefined ? quote(`${name}: ${value}`) : `"${name}: ${value}$${variable}"`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
