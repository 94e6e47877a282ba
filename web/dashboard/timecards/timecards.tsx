/** Timecards: a week as a grid, all of them as a list, and the hours of a range. */
import { Button } from '@mantine/core';
import { useDialogAddress } from '../../ui/address.js';
import { IconPlus } from '../../ui/icons.js';
import { Page as Frame } from '../../ui/page.js';
import { PageTabs } from '../../ui/page-tabs.js';
import { useBusiness } from '../business.js';
import { NotApproved } from '../not-approved.js';
import { Hours } from './hours.js';
import { NewTimecardModal } from './new-timecard-modal.js';
import { TimecardList } from './timecard-list.js';
import { Week } from './week.js';

const TABS = [
  { name: 'week', label: 'Week', content: Week },
  { name: 'list', label: 'List', content: TimecardList },
  { name: 'hours', label: 'Hours', content: Hours },
] as const;

export function Page() {
  const { isApproved } = useBusiness();
  const [isAdding, setAdding] = useDialogAddress('new');
  return (
    <Frame
      title="Timecards"
      description="Who worked when. Days and times are those of the location."
      actions={
        isApproved && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
            Add a timecard
          </Button>
        )
      }
    >
      {isApproved ? <PageTabs tabs={TABS} /> : <NotApproved />}
      {isAdding && <NewTimecardModal onClose={() => setAdding(false)} />}
    </Frame>
  );
}
