/** A command's result without its duration, which is named if the machine needed over a second. */
export function withoutDuration(text: string): string {
  return text.replace(/(\[(?:exit code \d+|ended by signal \w+)) after [^\]\n]+\]/g, "$1]");
}
