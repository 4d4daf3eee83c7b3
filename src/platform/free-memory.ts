/**
 * Asks the runtime to collect garbage soon, while other work continues. Node collects garbage only on its own schedule.
 */
export function freeMemory(): void {
  const runtime: { readonly gc?: (waits: boolean) => void } | undefined = Reflect.get(globalThis, "Bun");
  runtime?.gc?.(false);
}
