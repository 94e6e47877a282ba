/** For developers: applications, what they may do, tokens, keys of online stores, and webhook deliveries. */
import { Page as Frame } from '../../ui/page.js';
import { PageTabs } from '../../ui/page-tabs.js';
import { Applications } from './applications.js';
import { Authorizations } from './authorizations.js';
import { Deliveries } from './deliveries.js';
import { MadeSubscriptions } from './made-subscriptions.js';
import { PublishableKeys } from './publishable-keys.js';
import { Tokens } from './tokens.js';

const TABS = [
  { name: 'applications', label: 'Applications', content: Applications },
  { name: 'authorizations', label: 'Authorizations', content: Authorizations },
  { name: 'tokens', label: 'Personal tokens', content: Tokens },
  { name: 'keys', label: 'Publishable keys', content: PublishableKeys },
  { name: 'subscriptions', label: 'Webhook subscriptions', content: MadeSubscriptions },
  { name: 'deliveries', label: 'Webhook deliveries', content: Deliveries },
] as const;

export function Page() {
  return (
    <Frame title="Developers" description="Programs that work with your business, and the events that they receive.">
      <PageTabs tabs={TABS} />
    </Frame>
  );
}
