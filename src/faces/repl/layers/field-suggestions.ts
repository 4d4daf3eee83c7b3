import type { FieldInput } from "./ui-state.ts";

/**
 * The suggestions that match the typed text. Suggestions for an older text are filtered until newer suggestions arrive.
 */
export function shownSuggestions({ text, suggestions }: FieldInput): readonly string[] {
  if (!suggestions) return [];
  const { text: about, values } = suggestions;
  const typed = text.toLowerCase();
  const fitting = about === text ? values : values.filter((value) => value.toLowerCase().startsWith(typed));
  return fitting.length === 1 && fitting[0] === text ? [] : fitting;
}

/** The suggestion that is marked. */
export function markedSuggestion(field: FieldInput): string | undefined {
  return field.mark === undefined ? undefined : shownSuggestions(field)[field.mark];
}

/** Puts newer suggestions into the field. The selected suggestion stays selected if it is still shown. */
export function withSuggestions(field: FieldInput, suggestions: NonNullable<FieldInput["suggestions"]>): FieldInput {
  const marked = markedSuggestion(field);
  const { mark: _, ...next } = { ...field, suggestions };
  const mark = marked === undefined ? -1 : shownSuggestions(next).indexOf(marked);
  return mark < 0 ? next : { ...next, mark };
}

/** Selects the next or the previous suggestion. */
export function markSuggestion(field: FieldInput, step: 1 | -1): FieldInput {
  const { length } = shownSuggestions(field);
  if (length === 0) return field;
  const from = field.mark ?? (step > 0 ? -1 : 0);
  return { ...field, mark: (from + step + length) % length };
}
