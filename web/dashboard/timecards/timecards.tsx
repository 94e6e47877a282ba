/** Timecards: a week as a grid, all of them as a list, and the hours of a range. */
import { Button, Tabs } from '@mantine/core';
import { useState } from 'react';
import { useAddress } from '../../ui/address.js';
import { IconPlus } from '../../ui/icons.js';
import { Page as Frame } from '../../ui/page.js';
import { useBusiness } from '../business.js';
import { NotApproved } from '../not-approved.js';
import { Hours } from './hours.js';
import { NewTimecardModal } from './new-timecard-modal.js';
import { TimecardList } from './timecard-list.js';
import { Week } from './week.js';

const TABS = {
  week: { label: 'Week', content: Week },
  list: { label: 'List', content: TimecardList },
  hours: { label: 'Hours', content: Hours },
} as const;

type TabName = keyof typeof TABS;

export function Page() {
  const { isApproved } = useBusiness();
  const [isAdding, setAdding] = useState(false);
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
      {isApproved ? <TimecardTabs /> : <NotApproved />}
      {isAdding && <NewTimecardModal onClose={() => setAdding(false)} />}
    </Frame>
  );
}

function TimecardTabs() {
  const [chosen = 'week', choose] = useAddress('tab');
  const name: TabName = chosen in TABS ? (chosen as TabName) : 'week';
  const Content = TABS[name].content;
  return (
    <Tabs value={name} onChange={(tab) => choose(tab === 'week' ? undefined : (tab ?? undefined))} keepMounted={false}>
      <Tabs.List mb="lg">
        {Object.entries(TABS).map(([value, { label }]) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={name}>
        <Content />
      </Tabs.Panel>
    </Tabs>
  );
}
