/** Records which picture a record shows, in the commit that writes the record. */
import type { Change } from '../../database/change.js';
import { pictureUses } from './table.js';

/** `usedBy` is the kind of the record and its id. Null: it shows none. An unknown picture is refused. */
export async function usePicture(change: Change, usedBy: string, pictureId: string | null): Promise<void> {
  const known = await change.read(pictureUses, { usedBy });
  if (pictureId === null) {
    if (known) change.delete(pictureUses, known);
  } else if (known) {
    change.save(pictureUses, known, { usedBy, pictureId });
  } else {
    change.insert(pictureUses, { usedBy, pictureId });
  }
}
