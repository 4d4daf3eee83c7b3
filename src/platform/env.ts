/** The only file that reads environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A copy of this process's environment at start. */
export function environment(): Environment {
  return { ...process.env };
}

/**
 * Creates an object of a library that reads variables itself, while some variables are hidden.
 * @param make Must not be async: the variables are restored when it returns.
 */
export function withoutVariables<Made>(names: RegExp, make: () => Made): Made {
  const hidden = Object.entries(process.env).filter(([name]) => names.test(name));
  for (const [name] of hidden) delete process.env[name];
  try {
    return make();
  } finally {
    for (const [name, value] of hidden) process.env[name] = value;
  }
}
