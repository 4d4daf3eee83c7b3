/** The MCP library, loaded when the first server starts. */
export async function loadSdk() {
  const [{ Client }, types, { AjvJsonSchemaValidator }] = await Promise.all([
    import("@modelcontextprotocol/sdk/client/index.js"),
    import("@modelcontextprotocol/sdk/types.js"),
    import("@modelcontextprotocol/sdk/validation/ajv"),
  ]);
  return { Client, types, AjvJsonSchemaValidator };
}

export type Sdk = Awaited<ReturnType<typeof loadSdk>>;
