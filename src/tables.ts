/** The tables that changes write to. The functions in the database that write their rows are printed from this list. */
import { timecardEvents, timecards } from './business/timecards/table.js';

export const TABLES = [timecards, timecardEvents];
