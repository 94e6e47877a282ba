/** Why a settlement failed, and what happens to its money. */
import { Notice } from '../../ui/notice.js';
import { TextLink } from '../../ui/text-link.js';
import { Moment } from '../../ui/time.js';
import { useBusiness } from '../business.js';
import { useBalance } from './balance.js';
import type { Settlement } from './settlement.js';

export function FailedNotice({ settlement }: { readonly settlement: Settlement }) {
  const { timezoneOf } = useBusiness();
  const { data: balance } = useBalance();
  const { status, failed_at, location_id, returned_in_settlement_id: again } = settlement;
  if (status !== 'FAILED') return null;
  const zone = timezoneOf(location_id);
  const close = balance?.locations.find((each) => each.location_id === location_id)?.next_close_at;
  return (
    <Notice tone="danger" title="The bank did not accept this settlement">
      {failed_at && (
        <>
          It returned the money on <Moment at={failed_at} timezone={zone} />.{' '}
        </>
      )}
      {again ? (
        <>
          The money is part of <TextLink to={`/dashboard/payouts/${again}`}>a later settlement</TextLink>.
        </>
      ) : (
        <>
          Nothing is lost: the next settlement of this location pays it again
          {close && (
            <>
              , at the close on <Moment at={close} timezone={zone} />
            </>
          )}
          . Check that the bank account in use is right.
        </>
      )}
    </Notice>
  );
}
