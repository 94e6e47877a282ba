/** Who is there, and since when they are clocked in. A tap offers the clock, another person, and light or dark. */
import { Menu, useMantineColorScheme } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { asProblem } from '../../client/problem.js';
import { useStore } from '../../client/store.js';
import { IconClockPlay, IconClockStop, IconMoon, IconSun, IconUsers } from '../../ui/icons.js';
import { printTime } from '../../ui/time.js';
import { device } from '../core/device.js';
import { attendant, lock } from '../core/people.js';
import { clockedInSince as clockedIn, clockIn, clockOut } from '../core/timecard.js';
import { Avatar } from '../parts/avatar.js';
import { TouchMenu } from '../parts/touch-menu.js';
import classes from './person-menu.module.css';

export function PersonMenu() {
  const [person, paired, clockedInSince] = [useStore(attendant), useStore(device), useStore(clockedIn)];
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  if (!person) return null;
  const { employeeId, firstName, lastName } = person;
  const since = clockedInSince && printTime(clockedInSince, 'time', paired?.location.timezone);
  const clock = async (): Promise<void> => {
    try {
      await (clockedInSince ? clockOut() : clockIn());
      notifications.show({ message: clockedInSince ? 'You are clocked out.' : 'You are clocked in.' });
    } catch (error) {
      notifications.show({ color: 'red', message: asProblem(error).message });
    }
  };
  const isDark =
    colorScheme === 'dark' || (colorScheme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
  return (
    <TouchMenu
      width={260}
      target={
        <button type="button" className={classes['person']}>
          <Avatar id={employeeId} firstName={firstName} lastName={lastName} size={38} />
          <span className={classes['words']}>
            <strong>
              {firstName} {lastName.slice(0, 1)}.
            </strong>
            <small>{since ? `clocked in since ${since}` : 'not clocked in'}</small>
          </span>
        </button>
      }
    >
      <Menu.Label>{since ? `Clocked in since ${since}` : 'Not clocked in'}</Menu.Label>
      <Menu.Item
        leftSection={clockedInSince ? <IconClockStop size={22} /> : <IconClockPlay size={22} />}
        onClick={clock}
      >
        {clockedInSince ? 'Clock out' : 'Clock in'}
      </Menu.Item>
      <Menu.Item leftSection={<IconUsers size={22} />} onClick={() => lock()}>
        Switch person
      </Menu.Item>
      <Menu.Item
        leftSection={isDark ? <IconSun size={22} /> : <IconMoon size={22} />}
        onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
      >
        {isDark ? 'Light colours' : 'Dark colours'}
      </Menu.Item>
    </TouchMenu>
  );
}
