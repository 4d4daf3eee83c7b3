/** Runs with these variables in this process, where OpenTelemetry's exporters read them. */
export async function withVariables<Value>(
  variables: Readonly<Record<string, string>>,
  run: () => Promise<Value>,
): Promise<Value> {
  Object.assign(process.env, variables);
  try {
    return await run();
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
  }
}
