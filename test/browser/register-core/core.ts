/** The offline core of the register as one script, which tests put into a page. */
export { addItem, emptyCart } from '../../../web/register/core/cart.js';
export { catalogue, refreshCatalogue } from '../../../web/register/core/catalogue.js';
export { isClockWrong, now } from '../../../web/register/core/clock.js';
export { isOnline } from '../../../web/register/core/connection.js';
export { cart, updateCart } from '../../../web/register/core/current-cart.js';
export { device, isRevoked, startPairing, unpair } from '../../../web/register/core/device.js';
export {
  closeDrawer,
  drawer,
  endDrawer,
  openDrawer,
  paidIn,
  refreshDrawer,
} from '../../../web/register/core/drawer.js';
export { attendant, canSignInOffline, lock, refreshTeam, signIn, team } from '../../../web/register/core/people.js';
export {
  charge,
  discard,
  pending,
  refused,
  retry,
  send,
  sendNow,
  takeTender,
} from '../../../web/register/core/queue.js';
export { startRegister } from '../../../web/register/core/start.js';
export { clockedInSince, clockIn, clockOut } from '../../../web/register/core/timecard.js';
export { totalsOf } from '../../../web/register/core/totals.js';
export { applyUpdate, isUpdateReady } from '../../../web/register/core/update.js';
