/** Switches for what may go wrong: faults of requests and webhooks, and responses of the card processor. */
import { SimpleGrid } from '@mantine/core';
import { Page as Frame } from '../../ui/page.js';
import { MerchantSelect } from '../merchant-select.js';
import { FaultCard } from './fault-card.js';
import { ProcessorCard } from './processor-card.js';

export function Page() {
  return (
    <Frame
      title="Faults"
      description="Make the next requests, webhooks or cards fail, to see what your program does then."
      actions={<MerchantSelect hasAll />}
    >
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <FaultCard />
        <ProcessorCard />
      </SimpleGrid>
    </Frame>
  );
}
