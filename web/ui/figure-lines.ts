/** The lines of a table of figures, in its order and with its names: so no line is missing, and sums are marked. */
import { type Figures, figuresOf, type NameIn } from '../../src/business/figures/model.js';
import type { WireMoney } from './money.js';

export interface FigureLine {
  readonly key: string;
  readonly label: string;
  readonly money: WireMoney;
  readonly isSum: boolean;
  /** Whether it is a part of the line above. */
  readonly isPart: boolean;
  /** The figure that contains it. */
  readonly partOf?: string;
}

/** Figures without a value do not exist yet, such as cash that is not counted. */
export function figureLines<Table extends Figures>(
  table: Table,
  values: { readonly [Name in NameIn<Table>]?: WireMoney },
): FigureLine[] {
  return figuresOf(table).flatMap(({ name, label, sumOf, partOf }) => {
    const money: WireMoney | undefined = values[name];
    if (!money) return [];
    const isPart = partOf !== undefined;
    return [{ key: name, label, money, isSum: sumOf !== undefined, isPart, ...(isPart && { partOf }) }];
  });
}
