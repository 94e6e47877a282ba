/** Prints a recorded request as a command of curl. The credential is left out: the developer has it in a variable. */
import type { RecordedRequest } from '../api/recorded-requests.js';
import { type CurlHeader, printCurlCommand } from '../base/curl-command.js';
import type { PrintedRequest } from './printed-request.js';

/** What curl sends itself, and what belongs to the connection. */
const OMITTED =
  /^(?:host|connection|content-length|accept-encoding|user-agent|accept-language|transfer-encoding|expect|sec-.*|tillhouse-resent|tillhouse-sent-by)$/i;

/** Secrets by the headers that have them. */
const VARIABLES: Readonly<Record<string, string>> = {
  authorization: 'ACCESS_TOKEN',
  cookie: 'COOKIE',
  'tillhouse-employee-session': 'EMPLOYEE_SESSION',
};

export function printCurl({ method }: RecordedRequest, printed: PrintedRequest, baseUrl: string): string {
  const headers = printed.requestHeaders
    .filter(({ name, value }) => !OMITTED.test(name) && value !== '*/*')
    .map(({ name, value }) => toHeader(name, value));
  const body = printed.requestBody && compact(printed.requestBody.text);
  return printCurlCommand({ method, url: baseUrl + printed.url, headers, body });
}

function toHeader(name: string, value: string): CurlHeader {
  const variable = VARIABLES[name.toLowerCase()];
  if (variable === undefined) return { name, value };
  const [, scheme = ''] = /^((?:bearer +)?(?:client +)?)/i.exec(value) ?? [];
  return { name, value: scheme, variable };
}

/** One line, if it is JSON. */
function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
