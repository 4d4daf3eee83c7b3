/** The one place where environment variables are read. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A copy of the environment that this process was started with. */
export function environment(): Environment {
  return { ...process.env };
}
