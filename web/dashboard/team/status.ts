/** Activates and deactivates employees. */
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { useAct } from '../../ui/save.js';
import { type Employee, employeeName } from '../business.js';

export function useStatus() {
  const act = useAct();
  return {
    activate: (employee: Employee) =>
      act(() => call(dashboard.activateEmployee, { employee_id: employee.id }), `${employeeName(employee)} is active`),
    deactivate: (employee: Employee) =>
      act(
        () => call(dashboard.deactivateEmployee, { employee_id: employee.id }),
        `${employeeName(employee)} is inactive`,
      ),
  };
}
