/** What this room offers, on all surfaces. */
import { room } from '../../api/room.js';
import { dashboardPictureOperations } from './dashboard.operations.js';
import { picturePage } from './picture.page.js';

export const picturesRoom = room([...dashboardPictureOperations], [picturePage]);
