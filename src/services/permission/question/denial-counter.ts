/** After this many refusals, in a row for one tool or in a session, the model is told to change its approach. */
export const MAX_DENIALS_IN_A_ROW = 3;
export const MAX_DENIALS_IN_SESSION = 20;

/** Counts refusals per tool. Tool names are few, so the map stays small. */
export class DenialCounter {
  readonly #inARow = new Map<string, number>();
  #total = 0;

  /** @returns a hint for the model after the refusal; usually empty. */
  denied(toolName: string): string {
    const row = (this.#inARow.get(toolName) ?? 0) + 1;
    this.#inARow.set(toolName, row);
    this.#total += 1;
    if (row >= MAX_DENIALS_IN_A_ROW)
      return ` ${row} calls of ${toolName} in a row were refused: change your approach, or stop and say what you need.`;
    if (this.#total >= MAX_DENIALS_IN_SESSION)
      return ` ${this.#total} calls were refused in this session: change your approach, or stop and say what you need.`;
    return "";
  }

  allowed(toolName: string): void {
    this.#inARow.delete(toolName);
  }
}
