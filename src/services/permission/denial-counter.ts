/** Refusals in a row for one tool, and in a session, after which the model is told to change its approach. */
export const MAX_DENIALS_IN_A_ROW = 3;
export const MAX_DENIALS_IN_SESSION = 20;

/** Counts refusals. Tool names are few: one counter each. */
export class DenialCounter {
  readonly #inARow = new Map<string, number>();
  #total = 0;

  /** @returns what to tell the model beside the refusal; empty most of the time. */
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
