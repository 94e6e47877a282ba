/** Knows which hosts are this machine itself. */

/** The name part of a host, without its port, in lower case. */
export function hostName(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase();
}

/** An address to listen on that only this machine reaches. */
export function isLoopbackAddress(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** A name, as it stands in a URL or a Host header, that always means this machine. */
export function isLoopbackName(name: string): boolean {
  return /^(?:localhost|[a-z0-9.-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(name);
}
