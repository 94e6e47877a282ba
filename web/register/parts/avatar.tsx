/** A person as initials on a colour of their own, which is the same on every register. */
import classes from './avatar.module.css';

interface AvatarProps {
  /** Decides the colour. */
  readonly id: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly size?: number;
}

const HUES = 8;

/** `Mia Lund` is `ML`. */
export function initialsOf(firstName: string, lastName: string): string {
  const [first = '', last = ''] = [firstName, lastName].map((name) => [...name.trim()][0] ?? '');
  return (first + last).toUpperCase() || '?';
}

function hueOf(id: string): number {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return sum % HUES;
}

export function Avatar({ id, firstName, lastName, size = 40 }: AvatarProps) {
  return (
    <span
      className={classes['avatar']}
      data-hue={hueOf(id)}
      style={{ width: size, height: size, fontSize: size * 0.38 }}
      aria-hidden
    >
      {initialsOf(firstName, lastName)}
    </span>
  );
}
