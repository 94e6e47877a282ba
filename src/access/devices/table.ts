/** Defines the tables of devices, and of what they sent: writes, flags of writes, and approvals. */
import type { Instant } from '../../base/time.js';
import { Table } from '../../database/table.js';
import type { Flag } from '../../identity/kept-write.js';
import type { Approval } from './approval-model.js';

export interface DeviceRecord {
  readonly id: string;
  readonly locationId: string;
  readonly name: string;
  readonly createdAt: Instant;
  readonly unpairedAt: Instant | null;
  /** In real time, to within a few minutes. Null if it has not called yet. */
  readonly lastSeenAt: Instant | null;
}

/** Without its settings, which a new device does not have. */
export const devices = new Table<DeviceRecord>('devices', {
  key: ['id'],
  columns: {
    id: { column: 'device_id', as: 'value' },
    locationId: 'value',
    name: 'value',
    createdAt: 'time',
    unpairedAt: 'time',
    lastSeenAt: 'time',
  },
});

interface DeviceToken {
  readonly tokenHash: Buffer;
  readonly deviceId: string;
  readonly createdAt: Instant;
}

export const deviceTokens = new Table<DeviceToken>('device_tokens', {
  key: ['tokenHash'],
  columns: { tokenHash: 'bytes', deviceId: 'value', createdAt: 'time' },
});

/** The id that the register chose for a write. */
export interface WriteKey {
  readonly deviceId: string;
  readonly clientId: string;
}

export interface RegisterWrite {
  readonly requestHash: Buffer;
  readonly response: unknown;
  readonly createdAt: Instant;
}

export type StoredWrite = WriteKey & RegisterWrite;

export const registerWrites = new Table<StoredWrite>('register_writes', {
  key: ['deviceId', 'clientId'],
  columns: { deviceId: 'value', clientId: 'value', requestHash: 'bytes', response: 'json', createdAt: 'time' },
});

export interface FlaggedWrite extends WriteKey {
  readonly operation: string;
  readonly employeeId: string;
  readonly occurredAt: Instant;
  readonly arrivedAt: Instant;
  readonly flags: readonly Flag[];
  readonly saleId: string | null;
  /** Whether the owner has to look at it. */
  readonly isOpen: boolean;
}

/** A flagged write as the owner sees it. */
export interface ReviewedWrite extends FlaggedWrite {
  /** Null: the owner has not marked it. */
  readonly reviewedAt: Instant | null;
}

export const registerFlags = new Table<ReviewedWrite>('register_flags', {
  key: ['deviceId', 'clientId'],
  columns: {
    deviceId: 'value',
    clientId: 'value',
    operation: 'value',
    employeeId: 'value',
    occurredAt: 'time',
    arrivedAt: 'time',
    flags: 'json',
    saleId: 'value',
    isOpen: 'value',
    reviewedAt: 'time',
  },
});

/** An approval, and the write that used it. */
export interface StoredApproval extends Approval {
  readonly usedBy: string | null;
  /** In real time. */
  readonly usedAt: Instant | null;
}

export const registerApprovals = new Table<StoredApproval>('register_approvals', {
  key: ['id'],
  columns: {
    id: { column: 'approval_id', as: 'value' },
    deviceId: 'value',
    employeeId: 'value',
    operation: 'value',
    saleId: 'value',
    amount: 'value',
    createdAt: 'time',
    usedAt: 'time',
    usedBy: 'value',
  },
});
