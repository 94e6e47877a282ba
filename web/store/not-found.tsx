/** For addresses of a store that lead nowhere. */
import { Button } from '@mantine/core';
import { IconMapQuestion } from '../ui/icons.js';
import { Link } from '../ui/link.js';
import { Card, Empty } from '../ui/states.js';

export function NotFound() {
  return (
    <Card>
      <Empty
        icon={IconMapQuestion}
        title="There is no page at this address"
        action={
          <Button component={Link} to="/">
            Go to the store
          </Button>
        }
      >
        The link may be old, or a letter is missing.
      </Empty>
    </Card>
  );
}
