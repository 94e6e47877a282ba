/** Asks what a tile leaves open: the variation, the modifiers, how many, and a note. */
import { useState } from 'react';
import { type Amount, amount, ZERO } from '../../../src/base/money.js';
import { printMoney } from '../../ui/money.js';
import type { Catalogue } from '../core/catalogue.js';
import type { WireItem } from '../core/wire.js';
import { AmountPad } from '../parts/amount-pad.js';
import { BigButton } from '../parts/big-button.js';
import { Panel } from '../parts/panel.js';
import { Stepper } from '../parts/stepper.js';
import { TextField } from '../parts/text-field.js';
import { type ItemChoice, type ModifierList, modifierListsOf, usualPrice } from './catalogue-types.js';
import classes from './item-panel.module.css';

interface ItemPanelProps {
  readonly catalogue: Catalogue;
  readonly item: WireItem;
  /** What was chosen before, if a line of the cart is changed. */
  readonly before?: Partial<Pick<ItemChoice, 'variation' | 'price' | 'options' | 'quantity' | 'note'>> | undefined;
  readonly submitWord: 'Add' | 'Save';
  readonly onSubmit: (choice: ItemChoice) => void;
  readonly onClose: () => void;
  /** Absent if the person may not edit items. */
  readonly onEdit?: (() => void) | undefined;
}

const NOTE_LENGTH = 500;

export function ItemPanel({ catalogue, item, before, submitWord, onSubmit, onClose, onEdit }: ItemPanelProps) {
  const [variation, setVariation] = useState(before?.variation ?? item.variations[0]);
  const [typed, setTyped] = useState<Amount>(before?.price ?? ZERO);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(before?.options?.map(({ id }) => id)));
  const [quantity, setQuantity] = useState(before?.quantity ?? 1);
  const [note, setNote] = useState(before?.note ?? '');
  const lists = modifierListsOf(catalogue, item);
  const options = lists.flatMap((list) => list.options).filter(({ id }) => chosen.has(id));
  const missing = lists.find((list) => countIn(list, chosen) < list.min_selected);
  if (!variation) return null;
  const { currency } = variation.price_money;
  const isTyped = variation.variable_price ?? false;
  // A line whose price was changed keeps it, unless another variation is chosen.
  const kept = before?.variation?.id === variation.id ? before.price : undefined;
  const price = isTyped ? typed : (kept ?? usualPrice(variation));
  const each = options.reduce((sum, { price_money }) => sum + price_money.amount, price as number);
  const isWithoutPrice = isTyped && typed === ZERO;
  const submit = () => onSubmit({ item, variation, price, options, quantity, note: note.trim() });
  return (
    <Panel
      title={item.name}
      onClose={onClose}
      footer={
        <div className={classes['foot']}>
          <Stepper label="Quantity" value={quantity} onChange={setQuantity} />
          <BigButton tone="main" isTall isDisabled={missing !== undefined || isWithoutPrice} onClick={submit}>
            {missing
              ? `Choose ${missing.name.toLowerCase()}`
              : isWithoutPrice
                ? 'Type the price'
                : `${submitWord} ${printMoney({ amount: each * quantity, currency })}`}
          </BigButton>
        </div>
      }
    >
      {item.variations.length > 1 && (
        <fieldset className={classes['group']}>
          <legend>Which one</legend>
          <div className={classes['options']}>
            {item.variations.map((each) => (
              <Option
                key={each.id}
                name={each.name}
                price={printMoney(each.price_money)}
                isChosen={each.id === variation.id}
                onClick={() => setVariation(each)}
              />
            ))}
          </div>
        </fieldset>
      )}
      {isTyped && (
        <fieldset className={classes['group']}>
          <legend>
            Price <small>usually {printMoney(variation.price_money)}</small>
          </legend>
          <AmountPad label="Price" value={typed} currency={currency} onChange={(value) => setTyped(amount(value))} />
        </fieldset>
      )}
      {lists.map((list) => (
        <fieldset key={list.id} className={classes['group']}>
          <legend>
            {list.name} <small>{rule(list)}</small>
          </legend>
          <div className={classes['options']}>
            {list.options.map(({ id, name, price_money }) => (
              <Option
                key={id}
                name={name}
                price={price_money.amount === 0 ? '' : `+ ${printMoney(price_money)}`}
                isChosen={chosen.has(id)}
                onClick={() => setChosen((now) => toggle(list, now, id))}
              />
            ))}
          </div>
        </fieldset>
      ))}
      <TextField
        label="Note"
        placeholder="For the kitchen or the receipt"
        value={note}
        onChange={setNote}
        maxLength={NOTE_LENGTH}
      />
      {onEdit && (
        <BigButton tone="quiet" onClick={onEdit}>
          Edit name and price
        </BigButton>
      )}
    </Panel>
  );
}

function countIn({ options }: ModifierList, chosen: ReadonlySet<string>): number {
  return options.filter(({ id }) => chosen.has(id)).length;
}

function rule({ min_selected: least, max_selected: most }: ModifierList): string {
  if (least === 0 && most === undefined) return 'as many as you like';
  if (least === 0) return most === 1 ? 'at most one' : `at most ${most}`;
  if (least === most) return least === 1 ? 'one' : `exactly ${least}`;
  return most === undefined ? `at least ${least}` : `${least} to ${most}`;
}

/** In a list that allows one option, another option replaces the first. Other lists accept no more options when they are full. */
function toggle(list: ModifierList, chosen: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(chosen);
  if (next.delete(id)) return next;
  if (list.max_selected === 1) for (const { id: other } of list.options) next.delete(other);
  else if (list.max_selected !== undefined && countIn(list, chosen) >= list.max_selected) return chosen;
  return next.add(id);
}

interface OptionProps {
  readonly name: string;
  readonly price: string;
  readonly isChosen: boolean;
  readonly onClick: () => void;
}

function Option({ name, price, isChosen, onClick }: OptionProps) {
  return (
    <button type="button" className={classes['option']} aria-pressed={isChosen} onClick={onClick}>
      <span>{name}</span>
      <small>{price}</small>
    </button>
  );
}
