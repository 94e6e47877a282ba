/** The merchants of the sandbox, and the one that pages are about: the address says which. */
import { useQuery } from '@tanstack/react-query';
import { call } from '../client/call.js';
import type { ResponseOf } from '../client/operations.js';
import { sandbox } from '../client/sandbox-operations.js';
import { useAddress } from '../ui/address.js';

export type ListedMerchant = ResponseOf<typeof sandbox.listMerchants>['merchants'][number];

/** The newest merchants. Others are found by their id in the address. */
export function useMerchants() {
  return useQuery({
    queryKey: ['listMerchants', {}],
    queryFn: async () => (await call(sandbox.listMerchants, { limit: 200 })).merchants,
  });
}

/** The merchant of the address, or else the demo business, or the newest one. Undefined: there is none, or it is still loading. */
export function useChosenMerchant(): string | undefined {
  const [chosen] = useAddress('merchant');
  const { data: merchants = [] } = useMerchants();
  return chosen ?? (merchants.find(({ is_demo }) => is_demo) ?? merchants[0])?.id;
}

export function merchantName(merchants: readonly ListedMerchant[] | undefined, id: string): string {
  return merchants?.find((each) => each.id === id)?.business_name ?? id;
}
