/** `1 file`, `2,000 files` */
export function plural(value: number, noun: string): string {
  // The locale data of the runtime takes two milliseconds to load.
  const written = Number.isInteger(value) && value >= 0 && value < 1_000 ? value : value.toLocaleString("en-US");
  return `${written} ${noun}${value === 1 ? "" : "s"}`;
}
