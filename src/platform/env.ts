/** The one place where environment variables are read. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A copy of the environment that this process was started with. */
export function environment(): Environment {
  return { ...process.env };
}

/**
 * Makes something of a library that reads variables by itself, and hides some from it meanwhile.
 * @param make must not be async: the variables are back when it returns.
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
