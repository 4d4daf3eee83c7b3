/**
 * What this thread works from now on, in milliseconds: what others do on the machine meanwhile doesn't count, so that a test may
 * say that something doesn't explode. It is no benchmark: bounds leave room for a machine many times slower.
 */
export function cpuClock(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
}
