/** Erases the personal data of a buyer, after the owner has typed the address again. */
import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { FormModal } from '../../ui/form-modal.js';
import { useSaved } from '../../ui/save.js';

interface EraseModalProps {
  readonly email: string;
  readonly orders: number;
  readonly payments: number;
  readonly onClose: () => void;
  readonly onErased: () => void;
}

const count = (number: number, word: string): string => `${number} ${number === 1 ? word : `${word}s`}`;

export function EraseModal({ email, orders, payments, onClose, onErased }: EraseModalProps) {
  const [typed, setTyped] = useState('');
  const saved = useSaved();
  const erase = async () => {
    await call(dashboard.eraseBuyer, { email });
    await saved('The personal data is erased');
    onErased();
  };
  return (
    <FormModal
      title="Erase the personal data?"
      submitLabel="Erase for ever"
      danger
      isReady={typed.trim().toLowerCase() === email.toLowerCase()}
      onClose={onClose}
      onSubmit={erase}
    >
      {(errorOf) => (
        <>
          <Text>
            {`Email address, name, phone number, addresses, notes and references are erased in ${count(orders, 'order')} and ${count(payments, 'payment')}. `}
            Amounts, times and ids stay, because the books need them. This cannot be undone.
          </Text>
          <TextInput
            label={`Type ${email} to confirm`}
            autoComplete="off"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            error={errorOf('email')}
            data-autofocus
          />
        </>
      )}
    </FormModal>
  );
}
