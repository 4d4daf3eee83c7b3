/**
 * The code of the error that we give a request ourselves when its connection ends before the answer: of those that JSON-RPC
 * leaves to implementations, one that servers don't use (-32000 is what most of them use for anything).
 */
export const ANSWER_LOST = -32097;
export const ANSWER_LOST_MESSAGE = "the connection was lost before the answer came";
