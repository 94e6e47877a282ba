/** Types of style sheets: a module is a map of its class names. */
declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>;
  export default classes;
}
declare module '*.css';
/** The address of a picture. */
declare module '*.svg' {
  const address: string;
  export default address;
}
/** One icon. The package declares types for its index only. */
declare module '@tabler/icons-react/dist/esm/icons/*.mjs' {
  import type { Icon } from '@tabler/icons-react';

  const icon: Icon;
  export default icon;
}
