/** The code of a device that waits to be paired, in digits that are read across the counter. */
import classes from './code.module.css';

/** `4821 0937`: in groups, because people read numbers aloud in groups. */
export function PairingCode({ code }: { readonly code: string }) {
  const half = Math.ceil(code.length / 2);
  const groups = code.length > 5 ? [code.slice(0, half), code.slice(half)] : [code];
  return (
    <p className={classes['code']} aria-label={`Code ${[...code].join(' ')}`} role="img">
      {groups.map((group, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two halves of one code
        <span key={index}>{group}</span>
      ))}
    </p>
  );
}
