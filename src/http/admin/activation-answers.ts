import type { Commands } from '../../commands/commands.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import { dayOf } from '../pages/words.ts';
import type { ProblemKind } from '../answers/problems.ts';

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
} as const satisfies Record<RefusalOf<'activateAddon'> | RefusalOf<'deactivateAddon'>, ProblemKind>;

/** Rounded up to the minute: `3 May 2026, 16:21 UTC`. */
export const momentOf = (until: Instant): string => {
  const minute = new Date(Math.ceil(until / 60_000) * 60_000).toISOString();
  return `${dayOf(minute)}, ${minute.slice(11, 16)} UTC`;
};
