/** Where a sale comes from: employee, device, application, order, and its ids. */
import { Title } from '@mantine/core';
import { CopyId } from '../../ui/copy-id.js';
import { type Fact, Facts } from '../../ui/facts.js';
import { Card } from '../../ui/states.js';
import { TextLink } from '../../ui/text-link.js';
import { useBusiness, usePeople } from '../business.js';
import { KINDS, type SaleDetail } from './sale.js';

export function SaleFacts({ sale }: { readonly sale: SaleDetail }) {
  const { locationName } = useBusiness();
  const { nameOf } = usePeople();
  const [tender] = sale.tenders;
  const facts: (Fact | false)[] = [
    { name: 'Sold', value: KINDS[sale.kind] },
    { name: 'Location', value: locationName(sale.location_id) },
    sale.employee_id !== undefined && { name: 'Employee', value: nameOf(sale.employee_id) },
    sale.device_name !== undefined && { name: 'Device', value: sale.device_name },
    tender?.application_id !== undefined && {
      name: 'Application',
      value: sale.application_name ?? 'Personal token',
    },
    tender?.reference_id !== undefined && { name: 'Reference', value: tender.reference_id },
    tender?.buyer_email_address !== undefined && { name: 'Buyer', value: tender.buyer_email_address },
    sale.order_id !== undefined && {
      name: 'Order',
      value: <TextLink to={`/dashboard/orders/${sale.order_id}`}>Show the order</TextLink>,
    },
    { name: 'Id', value: <CopyId id={sale.id} label="sale id" /> },
    sale.v1_id !== sale.id && { name: 'Payment id', value: <CopyId id={sale.v1_id} label="payment id" /> },
  ];
  return (
    <Card padded>
      <Title order={2} size="h5" mb="xs">
        Details
      </Title>
      <Facts facts={facts.filter((fact) => fact !== false)} />
    </Card>
  );
}
