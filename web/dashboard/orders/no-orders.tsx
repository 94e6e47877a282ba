/** What the board and the list show if there are no orders. */
import { IconPackage } from '../../ui/icons.js';
import { Empty } from '../../ui/states.js';

export function NoOrders() {
  return (
    <Empty icon={IconPackage} title="No orders">
      Orders of your online stores appear here. Open a store under Locations, and mark items as sold online.
    </Empty>
  );
}
