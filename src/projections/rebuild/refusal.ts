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
  | 'schema-taken'
  | 'workers'
  | 'personal-keys'
  | 'key-lost'
  | 'interrupted';

/** What an operator asked for cannot be done as things are; nothing was changed, or nothing that a second run minds. */
export class RebuildRefused extends Error {
  override readonly name = 'RebuildRefused';
  readonly code: RefusalCode;
  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}
