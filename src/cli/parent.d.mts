/** The parent, and perhaps its parent. */
type Parents = readonly [number, number?];

export function isStartedByNpm(): boolean;
export function parents(): Parents;
export function stopWithParent(started?: Parents, onEnd?: () => void): void;
