/** For accounts to which employee management is not available. */
import { IconUsers } from '../ui/icons.js';
import { Card, Empty } from '../ui/states.js';

export function NotApproved() {
  return (
    <Card>
      <Empty icon={IconUsers} title="Employee management is not available yet">
        It is open to approved accounts. The operator of this server approves a business; in a sandbox that is one call
        of the sandbox API.
      </Empty>
    </Card>
  );
}
