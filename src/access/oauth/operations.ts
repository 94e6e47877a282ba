/** What this room offers, on all surfaces. */
import { room } from '../../api/room.js';
import { dashboardApplicationOperations } from './applications.operations.js';
import { authorizePages } from './authorize.page.js';
import { tokenOperations } from './oauth2.operations.js';
import { serverMetadataPage } from './server-metadata.page.js';

export const oauthRoom = room(
  [...tokenOperations, ...dashboardApplicationOperations],
  [...authorizePages, serverMetadataPage],
);
