/** Defines the tables of timecards and their events. */
import { Table } from '../../database/table.js';
import type { Timecard, TimecardEvent } from './model.js';

export const timecards = new Table<Timecard>('timecards', {
  key: ['id'],
  columns: {
    id: { column: 'timecard_id', as: 'value' },
    employeeId: 'value',
    clockinAt: 'time',
    clockoutAt: 'time',
    clockinLocationId: 'value',
    clockoutLocationId: 'value',
    deleted: 'value',
    createdAt: 'time',
    updatedAt: 'time',
  },
});

/** Each event has the times of its timecard after it. */
export const timecardEvents = new Table<TimecardEvent>('timecard_events', {
  key: ['timecardId', 'id'],
  columns: {
    timecardId: 'value',
    id: { column: 'event_id', as: 'value' },
    kind: 'value',
    clockinAt: 'time',
    clockoutAt: 'time',
    createdAt: 'time',
  },
});
