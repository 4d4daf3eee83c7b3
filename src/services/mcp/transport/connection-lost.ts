/**
 * The error code that Quoll gives a pending request when its connection ends. The code is in JSON-RPC's range for
 * implementations, but servers do not use it (most use -32000 for any error).
 */
export const CONNECTION_LOST = -32097;
export const CONNECTION_LOST_MESSAGE = "the connection was lost before the answer came";
