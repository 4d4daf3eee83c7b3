/** A server's own words seldom end as a sentence does, and more is said behind them. */
export function sentence(text: string): string {
  return /[.!?…:]["')\]]*$/.test(text) ? text : `${text}.`;
}
