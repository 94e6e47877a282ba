/**
 * Stops this process with SIGTERM when its parent exits. npm forwards a SIGTERM to its shell, but many shells exit without forwarding it,
 * and a parent that is killed forwards nothing.
 */
export function stopWithParent(parent = process.ppid) {
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 100).unref();
}
