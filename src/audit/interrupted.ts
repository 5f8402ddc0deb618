/** What was to be read whole was not, because somebody had it stopped. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}
