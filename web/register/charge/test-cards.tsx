/** The cards of a sandbox, to tap instead of a card reader. */

import { brandName } from '../../../src/business/tenders/words.js';
import { IconCreditCard, IconGift } from '../../ui/icons.js';
import classes from './test-cards.module.css';

export interface TestSource {
  readonly source_id: string;
  readonly label: string;
  readonly brand: string;
  readonly last_4?: string | undefined;
  readonly kind: 'CARD' | 'GIFT_CARD';
  readonly outcome: string;
}

interface TestCardsProps {
  readonly sources: readonly TestSource[];
  readonly isBusy: boolean;
  readonly onPick: (source: TestSource) => void;
}

export function TestCards({ sources, isBusy, onPick }: TestCardsProps) {
  return (
    <ul className={classes['cards']}>
      {sources.map((source) => {
        const isGood = source.outcome === 'APPROVED';
        const CardIcon = source.kind === 'GIFT_CARD' ? IconGift : IconCreditCard;
        return (
          <li key={source.source_id}>
            <button
              type="button"
              className={classes['card']}
              data-good={isGood || undefined}
              disabled={isBusy}
              onClick={() => onPick(source)}
            >
              <span className={classes['top']}>
                <CardIcon size={24} stroke={1.6} aria-hidden />
                <span>{brandName(source.brand)}</span>
              </span>
              <span className={classes['number']}>•••• {source.last_4 ?? '••••'}</span>
              <span className={classes['label']}>{source.label}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
