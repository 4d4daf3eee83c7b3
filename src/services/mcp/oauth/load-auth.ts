/** The MCP library's functions for OAuth, loaded at the first login or renewal. */
export async function loadAuth() {
  const [auth, shared, { checkResourceAllowed }, errors] = await Promise.all([
    import("@modelcontextprotocol/sdk/client/auth.js"),
    import("@modelcontextprotocol/sdk/shared/auth.js"),
    import("@modelcontextprotocol/sdk/shared/auth-utils.js"),
    import("@modelcontextprotocol/sdk/server/auth/errors.js"),
  ]);
  return { auth, shared, checkResourceAllowed, errors };
}
