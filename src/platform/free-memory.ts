/** Asks the runtime to collect garbage soon, while other work continues. Node collects only by itself. */
export function freeMemory(): void {
  const runtime: { readonly gc?: (waits: boolean) => void } | undefined = Reflect.get(globalThis, "Bun");
  runtime?.gc?.(false);
}
