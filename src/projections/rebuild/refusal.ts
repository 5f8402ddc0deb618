export type RefusalCode =
  | 'projection-unknown'
  | 'version-unknown'
  | 'version-live'
  | 'version-not-built'
  | 'nothing-built'
  | 'nothing-live'
  | 'busy'
  | 'behind'
  | 'unverified'
  | 'different'
  | 'tables-changed'
  | 'tables-in-use'
  | 'schema-refused'
  | 'schema-taken'
  | 'personal-keys'
  | 'key-lost'
  | 'interrupted';

/** An operator's request cannot be done in the current state; nothing was changed, or nothing that affects a second run. */
export class RebuildRefused extends Error {
  override readonly name = 'RebuildRefused';
  readonly code: RefusalCode;
  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}
