/** The code of the error that requests get whose connection ends before their answer, as the protocol's library has it. */
export const CONNECTION_CLOSED = -32000;
