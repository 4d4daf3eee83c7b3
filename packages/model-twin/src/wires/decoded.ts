/** The decoded name in a path; unchanged if its encoding is invalid. */
export function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
