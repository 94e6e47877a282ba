/** What nobody may miss, each as a line that stays until somebody closes it. They move the screen down, so that they cover no button. */
import { useStore } from '../../client/store.js';
import { IconAlertTriangle, IconX } from '../../ui/icons.js';
import { closeNote, notes } from '../parts/announce.js';
import { IconButton } from '../parts/icon-button.js';
import classes from './notes.module.css';

export function Notes() {
  const lines = useStore(notes);
  if (lines.length === 0) return null;
  return (
    <ul className={classes['notes']} aria-label="Notes">
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two notes can have the same words
        <li key={index}>
          <IconAlertTriangle size={22} stroke={1.8} aria-hidden />
          <p role="status">{line}</p>
          <IconButton label="Close this note" icon={IconX} onClick={() => closeNote(index)} />
        </li>
      ))}
    </ul>
  );
}
