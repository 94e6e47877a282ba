/** Links a bank account, or chooses the one that is paid out to. */
import { Select, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { FormModal } from '../../ui/form-modal.js';
import { useSaved } from '../../ui/save.js';

export type BankAccount = ResponseOf<typeof dashboard.listBankAccounts>['bank_accounts'][number];

const TYPES: readonly { readonly value: BankAccount['type']; readonly label: string }[] = [
  { value: 'BUSINESS_CHECKING', label: 'Business checking' },
  { value: 'CHECKING', label: 'Checking' },
  { value: 'SAVINGS', label: 'Savings' },
  { value: 'INVESTMENT', label: 'Investment' },
  { value: 'OTHER', label: 'Other' },
];

export function LinkAccountModal({ onClose }: { readonly onClose: () => void }) {
  const [typed, setTyped] = useState({ bank_name: '', name: '', routing_number: '', account_number: '' });
  const [type, setType] = useState<BankAccount['type']>('BUSINESS_CHECKING');
  const saved = useSaved();
  const link = async () => {
    const { bank_account } = await call(dashboard.linkBankAccount, { ...typed, type });
    await saved(`The account ending ${bank_account.account_number_suffix} is linked`);
  };
  return (
    <FormModal title="Link a bank account" submitLabel="Link account" onClose={onClose} onSubmit={link}>
      {(errorOf) => {
        const field = (name: keyof typeof typed) => ({
          required: true,
          value: typed[name],
          onChange: ({ currentTarget: { value } }: React.ChangeEvent<HTMLInputElement>) =>
            setTyped((before) => ({ ...before, [name]: value })),
          error: errorOf(name),
        });
        return (
          <>
            <TextInput label="Bank" maxLength={255} data-autofocus {...field('bank_name')} />
            <TextInput label="Name on the account" maxLength={255} {...field('name')} />
            <Select
              label="Kind"
              data={[...TYPES]}
              value={type}
              allowDeselect={false}
              onChange={(chosen) => chosen && setType(chosen as BankAccount['type'])}
            />
            <TextInput label="Routing number" inputMode="numeric" maxLength={9} {...field('routing_number')} />
            <TextInput
              label="Account number"
              description="Only the last digits are kept."
              inputMode="numeric"
              pattern="[0-9]{4,17}"
              autoComplete="off"
              {...field('account_number')}
            />
          </>
        );
      }}
    </FormModal>
  );
}

interface InForceModalProps {
  readonly account: BankAccount;
  readonly onClose: () => void;
}

export function InForceModal({ account, onClose }: InForceModalProps) {
  const saved = useSaved();
  const use = async () => {
    await call(dashboard.putBankAccountInForce, { bank_account_id: account.id });
    await saved(`Settlements go to the account ending ${account.account_number_suffix}`);
  };
  return (
    <FormModal title="Use this account?" submitLabel="Use account" onClose={onClose} onSubmit={use}>
      {() => (
        <Text>
          From the next close of a day, settlements go to {account.bank_name}, account ending{' '}
          {account.account_number_suffix}. Those already sent are not affected.
        </Text>
      )}
    </FormModal>
  );
}
