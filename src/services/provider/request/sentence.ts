/** Ends a server's message with a full stop, because more text follows and servers often omit it. */
export function sentence(text: string): string {
  return /[.!?…:]["')\]]*$/.test(text) ? text : `${text}.`;
}
