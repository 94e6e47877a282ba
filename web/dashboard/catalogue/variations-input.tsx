/** The variations of an item as rows that can be edited, added and removed. */
import { Checkbox, TextInput } from '@mantine/core';
import { PriceInput, parsePrice } from '../../ui/price-input.js';
import { newVariation, type VariationDraft } from './item-draft.js';
import { RowsInput } from './part-fields.js';
import classes from './variations-input.module.css';

interface VariationsInputProps {
  readonly currency: string;
  readonly value: readonly VariationDraft[];
  readonly onChange: (variations: readonly VariationDraft[]) => void;
}

/** The server's limit. */
const MOST = 50;

export function VariationsInput({ currency, value, onChange }: VariationsInputProps) {
  return (
    <RowsInput
      noun="variation"
      most={MOST}
      value={value}
      onChange={onChange}
      newRow={newVariation}
      row={({ key, name, sku, price, hasVariablePrice, isSoldByMeasure }, _, change, remove) => (
        <div className={classes['row']} key={key}>
          <TextInput
            label="Variation"
            required
            maxLength={255}
            value={name}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          <TextInput
            label="SKU"
            maxLength={255}
            value={sku}
            onChange={(event) => change({ sku: event.currentTarget.value })}
          />
          <PriceInput
            label="Price"
            required
            currency={currency}
            value={price}
            onChange={(typed) => change({ price: typed })}
            error={price !== '' && parsePrice(price, currency) === undefined && 'Not a price'}
          />
          <div className={classes['remove']}>{remove}</div>
          <div className={classes['flags']}>
            <Checkbox
              label="Any price at registers"
              checked={hasVariablePrice}
              onChange={(event) => change({ hasVariablePrice: event.currentTarget.checked })}
            />
            <Checkbox
              label="Sold by weight or length"
              checked={isSoldByMeasure}
              onChange={(event) => change({ isSoldByMeasure: event.currentTarget.checked })}
            />
          </div>
        </div>
      )}
    />
  );
}
