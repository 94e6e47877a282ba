/** What this room offers, on all surfaces. */
import { room } from '../api/room.js';
import { sandboxApplicationOperations } from './applications.operations.js';
import { sandboxDirectoryOperations } from './directory.operations.js';
import { sandboxEventOperations } from './events.operations.js';
import { sandboxFaultOperations } from './faults.operations.js';
import { sandboxMerchantFileOperations } from './merchant-files.operations.js';
import { sandboxProcessorOperations } from './processor.operations.js';
import { sandboxReceiverOperations } from './receiver.operations.js';
import { sandboxRegisterOperations } from './registers.operations.js';
import { sandboxRequestOperations } from './requests.operations.js';
import { sandboxMerchantOperations } from './sandbox.operations.js';
import { sandboxSessionOperations } from './session.operations.js';
import { sandboxSettlementOperations } from './settlements.operations.js';
import { sandboxSingleRuleOperations } from './single-rules.operations.js';
import { sandboxSnapshotOperations } from './snapshots.operations.js';
import { sandboxStoreOperations } from './stores.operations.js';
import { sandboxStubOperations } from './stubs.operations.js';
import { sandboxWebhookOperations } from './webhooks.operations.js';

export const sandboxRoom = room([
  ...sandboxMerchantOperations,
  ...sandboxMerchantFileOperations,
  ...sandboxProcessorOperations,
  ...sandboxFaultOperations,
  ...sandboxStubOperations,
  ...sandboxSettlementOperations,
  ...sandboxApplicationOperations,
  ...sandboxRegisterOperations,
  ...sandboxStoreOperations,
  ...sandboxWebhookOperations,
  ...sandboxEventOperations,
  ...sandboxDirectoryOperations,
  ...sandboxSingleRuleOperations,
  ...sandboxSnapshotOperations,
  ...sandboxReceiverOperations,
  ...sandboxSessionOperations,
  ...sandboxRequestOperations,
]);
