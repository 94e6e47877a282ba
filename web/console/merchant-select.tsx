/** Chooses the merchant that a page is about. The choice is in the address. */
import { Select } from '@mantine/core';
import { useAddress, useChangeAddress } from '../ui/address.js';
import { useChosenMerchant, useMerchants } from './merchants.js';

/** `hasAll`: nothing chosen means all merchants. */
export function MerchantSelect({ hasAll = false }: { readonly hasAll?: boolean }) {
  const { data: merchants = [] } = useMerchants();
  const [inAddress] = useAddress('merchant');
  const change = useChangeAddress();
  const chosen = useChosenMerchant();
  const value = (hasAll ? inAddress : chosen) ?? null;
  const known = merchants.map(({ id, business_name }) => ({ value: id, label: `${business_name} · ${id}` }));
  const data =
    value === null || known.some((each) => each.value === value) ? known : [...known, { value, label: value }];
  return (
    <Select
      size="xs"
      style={{ flex: '1 1 150px', maxWidth: 260 }}
      placeholder="All merchants"
      aria-label="Merchant"
      data={data}
      value={value}
      onChange={(next) => change({ merchant: next ?? undefined, location: undefined })} // another merchant has other locations
      clearable={hasAll}
      allowDeselect={hasAll}
      searchable
    />
  );
}
