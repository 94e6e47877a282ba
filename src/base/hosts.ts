/** Recognizes host names and addresses of the local machine. */
import { isIPv4 } from 'node:net';

export const HIGHEST_PORT = 65_535;

/** Subdomains such as `till.localhost` match too. */
const LOCALHOST = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*localhost$/;

/** The host without its port, in lower case. An invalid port stays part of the name, so the result matches no known host. */
export function hostName(host: string): string {
  return host.replace(/:([1-9]\d{0,4})$/, (suffix, port) => (Number(port) <= HIGHEST_PORT ? '' : suffix)).toLowerCase();
}

/** Whether a listen address accepts connections from the local machine only. */
export function isLoopbackAddress(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Whether a host name from a URL or a Host header always refers to the local machine. */
export function isLoopbackName(name: string): boolean {
  return name === '[::1]' || (isIPv4(name) && name.startsWith('127.')) || LOCALHOST.test(name);
}
