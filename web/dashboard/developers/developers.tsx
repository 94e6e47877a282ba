/** For developers: applications, what they may do, tokens, keys of online stores, and webhook deliveries. */
import { Tabs } from '@mantine/core';
import { useAddress } from '../../ui/address.js';
import { Page as Frame } from '../../ui/page.js';
import { Applications } from './applications.js';
import { Authorizations } from './authorizations.js';
import { Deliveries } from './deliveries.js';
import { PublishableKeys } from './publishable-keys.js';
import { Tokens } from './tokens.js';

const TABS = {
  applications: { label: 'Applications', content: Applications },
  authorizations: { label: 'Authorizations', content: Authorizations },
  tokens: { label: 'Personal tokens', content: Tokens },
  keys: { label: 'Publishable keys', content: PublishableKeys },
  deliveries: { label: 'Webhook deliveries', content: Deliveries },
} as const;

type TabName = keyof typeof TABS;

export function Page() {
  const [chosen = 'applications', choose] = useAddress('tab');
  const name = chosen in TABS ? (chosen as TabName) : 'applications';
  const Content = TABS[name].content;
  return (
    <Frame title="Developers" description="Programs that work with your business, and what they are told.">
      <Tabs value={name} onChange={(tab) => choose(tab ?? undefined)} keepMounted={false}>
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
    </Frame>
  );
}
