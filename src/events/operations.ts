/** What this room offers, on all surfaces. */
import { room } from '../api/room.js';
import { dashboardWebhookOperations } from './dashboard.operations.js';
import { madeSubscriptionOperations } from './made-subscriptions.operations.js';
import { v1WebhookOperations } from './v1.operations.js';
import { v2WebhookOperations } from './v2.operations.js';

export const eventsRoom = room([
  ...v1WebhookOperations,
  ...v2WebhookOperations,
  ...dashboardWebhookOperations,
  ...madeSubscriptionOperations,
]);
