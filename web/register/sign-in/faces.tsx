/** The people who may work here, as faces to tap. */
import { Avatar } from '../parts/avatar.js';
import classes from './faces.module.css';

export interface Face {
  readonly id: string;
  readonly first_name: string;
  readonly last_name: string;
  /** Below the name. */
  readonly note?: string | undefined;
  readonly isDisabled?: boolean;
}

export function Faces({ people, onPick }: { readonly people: readonly Face[]; readonly onPick: (id: string) => void }) {
  return (
    <ul className={classes['faces']}>
      {people.map(({ id, first_name, last_name, note, isDisabled = false }) => (
        <li key={id}>
          <button type="button" className={classes['face']} disabled={isDisabled} onClick={() => onPick(id)}>
            <Avatar id={id} firstName={first_name} lastName={last_name} size={72} />
            <span className={classes['name']}>
              {first_name} {last_name}
            </span>
            {note !== undefined && <span className={classes['note']}>{note}</span>}
          </button>
        </li>
      ))}
    </ul>
  );
}
