import type { Commands } from '../../commands/commands.ts';
import type { ProblemKind } from '../problems.ts';

type RefusalOf<Command extends 'activateAddon' | 'deactivateAddon'> = Extract<
  Awaited<ReturnType<Commands[Command]>>,
  { readonly ok: false }
>['refusal'];

/** What the API answers when an activation or deactivation is refused. */
export const activationProblems = {
  'addon-unknown': 'addon-unknown',
  'organization-unknown': 'organization-unknown',
  'configuration-url-missing': 'configuration-url-missing',
  'addon-suspended': 'activation-refused-while-suspended',
  'never-activated': 'never-activated',
} as const satisfies Record<RefusalOf<'activateAddon'> | RefusalOf<'deactivateAddon'>, ProblemKind>;
