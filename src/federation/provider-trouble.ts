/** What went wrong with a provider, in the categories that a page tells apart. */
export type TroubleKind =
  'unreachable' | 'too-slow' | 'invalid-answer' | 'sign-in-refused' | 'not-fresh' | 'claims-unusable';

/**
 * A provider did not do its part of a sign-in. `found` is one sentence for the page, without the provider's name,
 * addresses, secrets or personal data; `detail` is for the log and the operator: an origin, and what happened there.
 */
export class ProviderTrouble extends Error {
  override readonly name = 'ProviderTrouble';
  readonly kind: TroubleKind;
  readonly found: string;
  readonly detail: string | null;
  constructor(kind: TroubleKind, found: string, cause?: unknown, detail: string | null = null) {
    super(found, { cause });
    this.kind = kind;
    this.found = found;
    this.detail = detail;
  }
}
