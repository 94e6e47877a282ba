/** Whether the server can be reached, as real requests show it. */
import { isConnected, setReachabilityCheck, untilConnected } from '../../client/connection.js';

export const isOnline = isConnected;

/** Call it after a request without a response. The server is asked again and again until it responds. */
export function noteOutage(): void {
  void untilConnected();
}

/** The browser knows at once when a cable is pulled. Only a request, which `responds` sends, shows that the server is back. */
export function watchConnection(responds: () => Promise<boolean>): void {
  setReachabilityCheck(responds);
  addEventListener('offline', noteOutage);
  if (!navigator.onLine) noteOutage();
}
