/** Says one calm line that nobody has to answer. */
import { notifications } from '@mantine/notifications';
import { createKept } from '../core/storage/kept.js';

/** Lines that stay until somebody closes them, also through a reload. `shell/notes.tsx` shows them. */
const kept = createKept<readonly string[]>('notes', []);

export const notes: Pick<typeof kept, 'get' | 'subscribe'> = kept;

/** Long enough to be read by somebody who looks up from the cash. */
export function announce(line: string): void {
  notifications.show({ message: line, autoClose: 12_000 });
}

/** For what nobody may miss, such as money that was taken twice. */
export function announceUntilRead(line: string): void {
  kept.set([...kept.get(), line]);
}

export function closeNote(index: number): void {
  kept.set(kept.get().filter((_, each) => each !== index));
}
