/** Defines the tables of pictures and of what uses them. */
import type { Instant } from '../../base/time.js';
import { Table } from '../../database/table.js';
import type { Picture } from './model.js';

export interface StoredPicture extends Picture {
  /** The last upload, in real time. */
  readonly uploadedAt: Instant;
}

export const pictures = new Table<StoredPicture>('pictures', {
  key: ['id'],
  columns: {
    id: { column: 'picture_id', as: 'value' },
    contentType: 'value',
    width: 'value',
    height: 'value',
    content: 'bytes',
    uploadedAt: 'time',
  },
});

interface PictureUse {
  /** The kind of record and its id, such as `item:8f3...`. */
  readonly usedBy: string;
  readonly pictureId: string;
}

export const pictureUses = new Table<PictureUse>('picture_uses', {
  key: ['usedBy'],
  columns: { usedBy: 'value', pictureId: 'value' },
  deletes: true,
});
