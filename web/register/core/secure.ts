/** Whether the browser allows what a register needs: service workers, locks and cryptography. Without https only on loopback. */
export function isSecure(): boolean {
  return isSecureContext && 'serviceWorker' in navigator && 'locks' in navigator && crypto.subtle !== undefined;
}
