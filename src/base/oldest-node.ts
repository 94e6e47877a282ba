/** The oldest Node.js that runs the program, as in package.json. This file runs on any version, so it imports nothing. */
export const OLDEST_NODE = '20.19';

/** What to say if this version is too old; otherwise undefined. */
export function explainOldNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split('.').map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `Tillhouse needs Node.js ${OLDEST_NODE} or newer, and this is ${version}.`;
}
