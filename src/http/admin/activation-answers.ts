import type { Commands } from '../../commands/commands.ts';
import type { ActivationProblem } from '../words/kinds.ts';

type RefusalOf<Command extends 'activateAddon' | 'deactivateAddon'> = Extract<
  Awaited<ReturnType<Commands[Command]>>,
  { readonly ok: false }
>['refusal'];

/** The API's answers when an activation or deactivation is refused. */
export const activationProblems = {
  'addon-unknown': 'addon-unknown',
  'organization-unknown': 'organization-unknown',
  'organization-closed': 'organization-closed',
  'configuration-url-missing': 'configuration-url-missing',
  'addon-suspended': 'activation-refused-while-suspended',
  'addon-retired': 'addon-retired',
  'not-an-administrator': 'not-an-administrator',
  'activated-too-often': 'activated-too-often',
  'never-activated': 'never-activated',
} as const satisfies Record<RefusalOf<'activateAddon'> | RefusalOf<'deactivateAddon'>, ActivationProblem>;
