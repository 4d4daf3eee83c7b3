/** The person did not want to work in this folder. */
export class LeftBeforeStart extends Error {
  override name = "LeftBeforeStart";
}
