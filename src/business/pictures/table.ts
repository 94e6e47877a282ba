/** Defines the table of what uses pictures. */
import { Table } from '../../database/table.js';

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
