/** Draws an icon from its paths, on a square of 24 by 24. The build makes the component of each `icon:` module with it. */
import type { ComponentProps, ComponentType } from 'react';

export interface IconProps extends Omit<ComponentProps<'svg'>, 'stroke'> {
  /** The width and height in the page. */
  readonly size?: number | string;
  /** The width of the lines on the square. */
  readonly stroke?: number | string;
}

export type Icon = ComponentType<IconProps>;

export function createIcon(paths: readonly ComponentProps<'path'>[]): Icon {
  return function DrawnIcon({ size = 24, stroke = 2, ...rest }) {
    return (
      // biome-ignore lint/a11y/noSvgWithoutTitle: the text beside it or the label of its button says what it means
      <svg
        xmlns="http://www.w3.org/2000/svg"
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={stroke}
        strokeLinecap="round"
        strokeLinejoin="round"
        {...rest}
      >
        {paths.map((path) => (
          <path key={path.d} {...path} />
        ))}
      </svg>
    );
  };
}
