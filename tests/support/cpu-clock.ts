/**
 * The processor time of this thread from now on, in milliseconds. Other programs don't count, so a test can check
 * that the time does not explode. This is not a benchmark: its limits leave room for a machine that is many times
 * slower.
 */
export function cpuClock(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
}
