/** A card that the terminal beside the register has charged: the data of its slip is recorded, and no money moves here. */
import { useState } from 'react';
import { type Amount, amount } from '../../../src/base/money.js';
import { brandName } from '../../../src/business/tenders/words.js';
import { IconHeart } from '../../ui/icons.js';
import { printMoney } from '../../ui/money.js';
import { AmountPad } from '../parts/amount-pad.js';
import { BigButton } from '../parts/big-button.js';
import { Choices } from '../parts/choices.js';
import { TextField } from '../parts/text-field.js';
import classes from './charge.module.css';

export interface ExternalCardFields {
  readonly brand: (typeof BRANDS)[number];
  readonly last4?: string;
  readonly reference?: string;
  /** What the buyer added on the terminal. */
  readonly tip?: Amount;
}

interface ExternalCardProps {
  readonly due: number;
  readonly currency: string;
  readonly isBusy: boolean;
  readonly onTake: (card: ExternalCardFields) => void;
}

const BRANDS = ['VISA', 'MASTERCARD', 'AMERICAN_EXPRESS', 'DISCOVER', 'OTHER_BRAND'] as const;
const OPTIONS = BRANDS.map((value) => ({ value, label: value === 'OTHER_BRAND' ? 'Another' : brandName(value) }));

export function ExternalCard({ due, currency, isBusy, onTake }: ExternalCardProps) {
  const [brand, setBrand] = useState<ExternalCardFields['brand']>('OTHER_BRAND');
  const [last4, setLast4] = useState('');
  const [reference, setReference] = useState('');
  const [tip, setTip] = useState(0);
  const [isAskingTip, setAskingTip] = useState(false);
  const isWhole = last4 === '' || last4.length === 4;
  const print = (value: number) => printMoney({ amount: value, currency });
  const take = (): void =>
    onTake({
      brand,
      ...(last4 !== '' && { last4 }),
      ...(reference.trim() !== '' && { reference: reference.trim() }),
      ...(tip > 0 && { tip: amount(tip) }),
    });
  if (isAskingTip) {
    return (
      <div className={classes['other']}>
        <p className={classes['hint']}>The tip on the slip of the terminal.</p>
        <AmountPad
          label="Tip on the slip"
          value={tip}
          currency={currency}
          onChange={setTip}
          onEnter={() => setAskingTip(false)}
        />
        <BigButton tone="main" isTall onClick={() => setAskingTip(false)}>
          {tip === 0 ? 'No tip' : `Tip of ${print(tip)}`}
        </BigButton>
      </div>
    );
  }
  return (
    <div className={classes['other']}>
      <p
        className={classes['hint']}
      >{`Take ${print(due)} on the card terminal. Then record here what its slip says.`}</p>
      <Choices label="Card" options={OPTIONS} chosen={brand} onChoose={setBrand} />
      <TextField
        label="Last four digits"
        value={last4}
        onChange={(text) => setLast4(text.replaceAll(/\D/g, ''))}
        maxLength={4}
        inputMode="numeric"
        error={isWhole ? undefined : 'Four digits, or none.'}
      />
      <TextField label="Reference of the slip" value={reference} onChange={setReference} maxLength={60} />
      <BigButton icon={IconHeart} isDisabled={isBusy} onClick={() => setAskingTip(true)}>
        {tip === 0 ? 'Add the tip from the slip' : `Tip of ${print(tip)}`}
      </BigButton>
      <BigButton tone="main" isTall isDisabled={!isWhole} isBusy={isBusy} onClick={take}>
        {`Record ${print(due + tip)}`}
      </BigButton>
    </div>
  );
}
