/** What a scope permits: as a sentence, the same about one's own records; what it opens: of the reader, in short, of an organization; an example. */
export type ScopeWords = {
  readonly long: string;
  readonly own: string;
  readonly yours: string;
  readonly short: string;
  readonly ofOrganization: string;
  readonly example: string | null;
};

/** Why a name is refused. */
export type WhyNot = 'empty' | 'long' | 'lines' | 'invisible' | 'other';

/** Why an add-on is not activated or deactivated. */
export type ActivationProblem =
  | 'addon-unknown'
  | 'organization-unknown'
  | 'organization-closed'
  | 'configuration-url-missing'
  | 'activation-refused-while-suspended'
  | 'addon-retired'
  | 'not-an-administrator'
  | 'activated-too-often'
  | 'never-activated';
