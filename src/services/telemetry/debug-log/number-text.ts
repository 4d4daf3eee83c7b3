/** `812 ms`, `2.31 s`. */
export function msText(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}

/** `45,210` */
export function numberText(value: number): string {
  return value.toLocaleString("en-US");
}
