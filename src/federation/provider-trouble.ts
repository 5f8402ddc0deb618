/** What went wrong with a provider, in the categories that a page tells apart. */
export type TroubleKind =
  'unreachable' | 'too-slow' | 'invalid-answer' | 'sign-in-refused' | 'not-fresh' | 'claims-unusable';

/**
 * A provider did not do its part of a sign-in. `found` is one sentence without the provider's name, secrets or personal
 * data: for the page and the log.
 */
export class ProviderTrouble extends Error {
  override readonly name = 'ProviderTrouble';
  readonly kind: TroubleKind;
  readonly found: string;
  constructor(kind: TroubleKind, found: string, cause?: unknown) {
    super(found, { cause });
    this.kind = kind;
    this.found = found;
  }
}
