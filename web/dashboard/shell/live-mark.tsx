/** Shows whether pages update by themselves. */
import { isLive } from '../../client/changes.js';
import { useStore } from '../../client/store.js';
import classes from './live-mark.module.css';

export function LiveMark() {
  const live = useStore(isLive);
  return (
    <span className={classes['mark']} data-live={live} title={live ? 'Changes appear by themselves' : 'Connecting'}>
      {live ? 'Live' : 'Connecting'}
    </span>
  );
}
