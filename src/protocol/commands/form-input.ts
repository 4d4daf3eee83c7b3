import type { CommandResult, FormField, FormResult } from "../../contracts/command-result.ts";

type Filling = { readonly form: FormResult; readonly values: Readonly<Record<string, string>> };

/** The fields of the current form, filled in one after another. The values go only to the command. */
export class FormInput {
  #filling: Filling | undefined;

  /** @returns the first field; undefined for a form without fields. */
  begin(form: FormResult): FormField | undefined {
    this.#filling = { form, values: {} };
    return form.fields[0];
  }

  cancel(): void {
    this.#filling = undefined;
  }

  /** True if other fields follow the current one. */
  get hasMore(): boolean {
    if (!this.#filling) return false;
    const { form, values } = this.#filling;
    return Object.keys(values).length + 1 < form.fields.length;
  }

  /** The command that goes back from the current form. */
  get back(): string | undefined {
    return this.#filling?.form.back;
  }

  /** Stores the value of the current field. @returns the next field, or the command's result after the last one. */
  take(text: string, signal: AbortSignal): FormField | Promise<CommandResult> | undefined {
    if (!this.#filling) return undefined;
    const { form, values } = this.#filling;
    const at = Object.keys(values).length;
    const field = form.fields[at];
    const filled = field ? { ...values, [field.name]: text } : values;
    const next = form.fields[at + 1];
    this.#filling = next && { form, values: filled };
    return next ?? form.submit(filled, signal);
  }

  /** Values that continue the typed text of the current field. */
  async suggest(typed: string, signal: AbortSignal): Promise<readonly string[]> {
    if (!this.#filling) return [];
    const { form, values } = this.#filling;
    const field = form.fields[Object.keys(values).length];
    return (await field?.suggest?.(typed, values, signal)) ?? [];
  }

  /** The current field. */
  titleOf({ label }: FormField): string {
    const { form } = this.#filling ?? {};
    if (!form) return label;
    // For "Key for Acme", the title already contains "Key".
    const isNamed = form.fields.length === 1 && form.title.startsWith(label);
    return isNamed ? form.title : `${form.title}: ${label}`;
  }
}
