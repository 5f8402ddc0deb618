/** Something was not read to the end, because it was stopped. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}
