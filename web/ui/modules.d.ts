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
/** One icon. */
declare module 'icon:*' {
  const icon: import('./icon.js').Icon;
  export default icon;
}
