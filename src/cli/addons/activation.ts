import type { Activation } from '../../administration/organizations/activation-answers.ts';
import { organizations } from '../../administration/organizations.ts';
import type { Json } from '../../administration/task.ts';
import { addEntityCommands } from '../administration.ts';
import { sheet } from '../base/answer.ts';
import type { AddCommands } from '../base/define.ts';

export const addActivationCommands: AddCommands = (program, io, run) =>
  addEntityCommands(program.command('activation'), organizations, io, run, {
    sheets: { 'show-activation': (shown: Json) => sheet(linesOf(shown as Activation)) },
  });

const linesOf = (shown: Activation): Readonly<Record<string, string>> => ({
  organization: shown.organization_id,
  addon: `${shown.client_id} ${shown.name}`,
  status: shown.retired
    ? `${shown.status}, retired`
    : shown.suspended
      ? `${shown.status}, suspended`
      : shown.status,
  epoch: String(shown.epoch),
  ...(shown.activated_at !== null && { activated: `${shown.activated_at} by ${shown.activated_by}` }),
  ...(shown.deactivated_at !== null && { deactivated: `${shown.deactivated_at} by ${shown.deactivated_by}` }),
  ...(shown.revocation !== null && {
    revocation: shown.revocation.completed
      ? `complete, ${shown.revocation.grants} grants`
      : 'not complete yet',
  }),
  'live grants': numberOf(shown.live_grants),
  'codes never exchanged': numberOf(shown.unredeemed_codes),
  'people who approved': numberOf(shown.approvers),
  scopes: shown.scopes?.join(' ') ?? 'unknown',
  'may ask for': shown.allowed_scopes.join(' '),
  'last token': shown.last_token_at ?? 'none',
});

const numberOf = (count: number | null): string => (count === null ? 'unknown' : String(count));
