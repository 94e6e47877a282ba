/** Draws a QR code, dark on white in light and dark, because scanners expect that. */
import { useMemo } from 'react';
import { qrModules } from '../../src/base/qr-code.js';

/** Modules of white around the code. */
const MARGIN = 4;

export function QrCode({
  text,
  label,
  size = 260,
}: {
  readonly text: string;
  readonly label: string;
  readonly size?: number;
}) {
  const modules = useMemo(() => qrModules(text), [text]);
  const side = modules.length + 2 * MARGIN;
  const path = modules
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + MARGIN} ${y + MARGIN}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      viewBox={`0 0 ${side} ${side}`}
      width={size}
      height={size}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={side} height={side} rx={2} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
