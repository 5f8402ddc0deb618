import { activation, type Activation } from '../../tasks/organizations/activation-answers.ts';
import type { Names } from '../../tasks/find.ts';
import { organizations } from '../../tasks/organizations.ts';
import type { Json } from '../../tasks/task.ts';
import { addEntityCommands } from '../entity-commands.ts';
import { sheet } from '../base/answer.ts';
import { nameWithId } from '../../audit/timeline/words.ts';
import type { AddCommands } from '../base/define.ts';
import { named } from '../base/list.ts';

export const addActivationCommands: AddCommands = (program, io, run) =>
  addEntityCommands(program.command('activation'), organizations, io, run, {
    sheets: new Map([
      [activation, (shown: Json, names: Names) => sheet(linesOf(shown as Activation, names))],
    ]),
  });

const linesOf = (shown: Activation, names: Names): Readonly<Record<string, string>> => ({
  organization: named(shown.organization_id, names),
  addon: nameWithId({ id: shown.client_id, name: shown.name }),
  status: shown.retired
    ? `${shown.status}, retired`
    : shown.suspended
      ? `${shown.status}, suspended`
      : shown.status,
  epoch: String(shown.epoch),
  ...(shown.activated_at !== null && {
    activated: `${shown.activated_at} by ${named(shown.activated_by ?? '', names)}`,
  }),
  ...(shown.deactivated_at !== null && {
    deactivated: `${shown.deactivated_at} by ${named(shown.deactivated_by ?? '', names)}`,
  }),
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
