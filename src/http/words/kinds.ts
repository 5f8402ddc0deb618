import type { Candidate } from '../../tasks/task.ts';

/** What a scope permits: as a sentence, the same about one's own records, in a few words for lists, and an example. */
export type ScopeWords = {
  readonly long: string;
  readonly own: string;
  readonly short: string;
  readonly example: string | null;
};

export type InteractionRefused =
  'malformed' | 'expired' | 'session-ended' | 'other-browser' | 'used' | 'too-many-failures';

export type ProviderTroubleKind =
  'unreachable' | 'too-slow' | 'invalid-answer' | 'sign-in-refused' | 'not-fresh' | 'claims-unusable';

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
type Texts = Readonly<Record<string, string>>;
type Answer = Readonly<Record<string, unknown>>;

/** What a task says when it refuses. */
export type TaskRefusal = {
  readonly candidates: readonly Candidate[];
  /** What has happened meanwhile, in sentences. */
  readonly changes: readonly string[];
};

/**
 * The words of the tasks of operators. Their table (src/tasks) is in English, like the command line and the API that are
 * made from it; another language says the same by these. What is missing is shown in English, and a test finds it.
 */
export type TaskWords = {
  /** By the English text. */
  readonly texts: Texts;
  /** Of texts with a value in them: $1 is the first group, itself by these tables. */
  readonly patterns: readonly (readonly [RegExp, string])[];
  /** By the key of JSON; English makes the others of the key. */
  readonly labels: Texts;
  /** By the value, of states, roles and the like. */
  readonly values: Texts;
  /** By the code; English has the message of the refusal. */
  readonly refusals: Readonly<Record<string, (refused: TaskRefusal) => string>>;
  /** What was done, by `ENTITY.TASK`, where the page shows an answer; English has the text of the task. */
  readonly done: Readonly<Record<string, (answer: Answer) => string>>;
};
