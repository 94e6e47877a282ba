/** Any operation that programs call, with its example: change it, send it, read the response, and take it as code. */
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { readDescription } from '../../client/description.js';
import type { Search } from '../../ui/address.js';
import { IconBuildingStore, IconPlayerPlay } from '../../ui/icons.js';
import { Page as Frame } from '../../ui/page.js';
import { QueryView } from '../../ui/query-view.js';
import { SplitPane } from '../../ui/split-pane.js';
import { Card, Empty, LoadingBlock } from '../../ui/states.js';
import { TextLink } from '../../ui/text-link.js';
import { MerchantSelect } from '../merchant-select.js';
import { useChosenMerchant, useMerchants } from '../merchants.js';
import { Attempt } from './attempt.js';
import { type DescribedApi, readApi } from './described.js';
import { OperationList } from './operation-list.js';
import { READ_ONCE } from './read-once.js';
import { type TriedPlace, useBeginning } from './use-example.js';

export function Page() {
  const api = useQuery({
    queryKey: ['description'],
    queryFn: async () => readApi(await readDescription()),
    ...READ_ONCE,
  });
  const merchants = useMerchants();
  return (
    <Frame
      title="Try it"
      description="Send any request of the API as a program would, and take it with you as code."
      actions={<MerchantSelect />}
    >
      <QueryView query={merchants} isEmpty={({ length }) => length === 0} empty={<NoMerchant />}>
        {() => <QueryView query={api}>{(found) => <Panes api={found} />}</QueryView>}
      </QueryView>
    </Frame>
  );
}

function Panes({ api }: { readonly api: DescribedApi }) {
  const { operation: name, location: locationId, request } = useSearch({ strict: false }) as Search;
  const merchantId = useChosenMerchant();
  const operation = api.operations.find((each) => each.name === name);
  return (
    <SplitPane
      name="try"
      onPhones={operation === undefined ? 'first' : 'second'}
      first={<OperationList operations={api.operations} chosen={name} />}
      second={
        operation === undefined || merchantId === undefined ? (
          <NoOperation />
        ) : (
          <Example
            key={`${operation.name} ${merchantId} ${locationId} ${request}`}
            api={api}
            operation={operation}
            place={{ merchantId, locationId }}
            requestId={request}
          />
        )
      }
    />
  );
}

interface ExampleProps {
  readonly api: DescribedApi;
  readonly operation: DescribedApi['operations'][number];
  readonly place: TriedPlace;
  /** The recorded request with which the form begins. Undefined: an example. */
  readonly requestId: string | undefined;
}

function Example({ api, operation, place, requestId }: ExampleProps) {
  const beginning = useBeginning(operation, api.models, place, requestId);
  return (
    <Card>
      <QueryView query={beginning} loading={<LoadingBlock height={420} />}>
        {({ composed, hint }) => <Attempt models={api.models} example={composed} hint={hint} place={place} />}
      </QueryView>
    </Card>
  );
}

function NoOperation() {
  return (
    <Card>
      <Empty icon={IconPlayerPlay} title="No operation is chosen">
        Choose one on the left. It comes with an example that runs, with ids of the chosen merchant and a token.
      </Empty>
    </Card>
  );
}

function NoMerchant() {
  return (
    <Card>
      <Empty
        icon={IconBuildingStore}
        title="No merchant"
        action={<TextLink to="/console/merchants">Make a merchant</TextLink>}
      >
        Requests are about a merchant. Make one with a click, and come back.
      </Empty>
    </Card>
  );
}
