/** The caller's token is not sufficient, or the service refuses. The message says why, and what to do. */
export class NotAllowed extends Error {
  override readonly name: string = 'NotAllowed';
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
