/** Defines the table of the ids that processors give to our payments. */
import { Table } from '../database/table.js';

interface ProcessorReference {
  readonly paymentId: string;
  readonly reference: string;
}

export const processorReferences = new Table<ProcessorReference>('processor_references', {
  key: ['paymentId'],
  columns: { paymentId: 'value', reference: 'value' },
  deletes: 'unread',
});
