/**
 * Ends this process as a SIGTERM does, as soon as its parent is gone. npm passes a SIGTERM on to its shell, and many a shell ends without
 * passing it on to us; and a parent that is killed passes on nothing.
 */
export function stopWithParent(parent = process.ppid) {
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 100).unref();
}
