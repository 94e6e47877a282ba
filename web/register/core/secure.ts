/** Whether the browser gives this address what a register needs: service workers, locks and cryptography. Off loopback only with https. */
export function isSecure(): boolean {
  return isSecureContext && 'serviceWorker' in navigator && 'locks' in navigator && crypto.subtle !== undefined;
}
