/** Knows which hosts are this machine itself. */
import { isIPv4 } from 'node:net';

const HIGHEST_PORT = 65_535;

/** Also with labels in front, as in `till.localhost`. */
const LOCALHOST = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*localhost$/;

/** The name part of a host, without its port, in lower case. With a port that cannot be, all of it: a name that nobody has. */
export function hostName(host: string): string {
  return host.replace(/:([1-9]\d{0,4})$/, (end, port) => (Number(port) <= HIGHEST_PORT ? '' : end)).toLowerCase();
}

/** An address to listen on that only this machine reaches. */
export function isLoopbackAddress(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** A name, as it stands in a URL or a Host header, that always means this machine. */
export function isLoopbackName(name: string): boolean {
  return name === '[::1]' || (isIPv4(name) && name.startsWith('127.')) || LOCALHOST.test(name);
}
