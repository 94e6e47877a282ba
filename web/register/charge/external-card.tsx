/** A card that the terminal beside the register has charged: what its slip says is recorded, and no money moves here. */
import { useState } from 'react';
import { printMoney } from '../../ui/money.js';
import { brandName } from '../../ui/tenders.js';
import { BigButton } from '../parts/big-button.js';
import { Choices } from '../parts/choices.js';
import { TextField } from '../parts/text-field.js';
import classes from './charge.module.css';

export interface ExternalCardFields {
  readonly brand: (typeof BRANDS)[number];
  readonly last4?: string;
  readonly reference?: string;
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
  const isWhole = last4 === '' || last4.length === 4;
  const sum = printMoney({ amount: due, currency });
  const take = (): void =>
    onTake({
      brand,
      ...(last4 !== '' && { last4 }),
      ...(reference.trim() !== '' && { reference: reference.trim() }),
    });
  return (
    <div className={classes['other']}>
      <p className={classes['hint']}>{`Take ${sum} on the card terminal. Then record here what its slip says.`}</p>
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
      <BigButton tone="main" isTall isDisabled={!isWhole} isBusy={isBusy} onClick={take}>
        {`Record ${sum}`}
      </BigButton>
    </div>
  );
}
