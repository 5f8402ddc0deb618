import { z } from 'zod';
import type { ChangeDecided } from '../../commands/publishers/addon-changes.ts';
import type { ShownChange } from '../../commands/publishers/shown-changes.ts';
import type { OutcomeWithProblems } from '../../commands/kernel/outcome.ts';
import { actorOf } from '../actor-of.ts';
import { text } from '../fields.ts';
import {
  pageOf,
  task,
  type Json,
  type Part,
  type PartItem,
  type Services,
  type TaskOutcome,
  type TaskRefused,
} from '../task.ts';
import {
  changeExample,
  changeField,
  changeMessage,
  changeShape,
  presentChange,
  type ChangeRefusal,
} from './addon-changes.ts';
import { idOf, shown } from '../answer-fields.ts';
import { english } from '../../common/words.ts';
import { snakeCase } from '../../domain/kernel/snake-case.ts';

const { fields, addon: texts } = english.tasks;

const someone = (who: string) => idOf('user').nullable().describe(`Who ${who} it.`);

/** As operators see it: whole, with who proposed it, and who decided. */
export const changeWhole = z.object({
  ...changeShape.shape,
  proposed_by: idOf('user').describe('Who proposed it.'),
  approved_by: someone('approved').describe('Who approved it; `null` also where nobody had to.'),
  refused_by: someone('refused'),
  differences: shown(
    z.array(
      z.object({
        field: z.string(),
        before: z.array(z.string()).readonly(),
        after: z.array(z.string()).readonly(),
        with_new_host: z
          .array(z.string())
          .readonly()
          .describe('Those of `after` whose host, or scheme of an app, none of `before` has.'),
      }),
    ),
    { as: 'changes' },
  )
    .readonly()
    .describe(
      'What it changes about the add-on as it is now, or changed when it was decided: each field, before and after.',
    ),
  revision: z
    .string()
    .describe('Of `differences`: whoever approves says by it what was shown. It changes where they do.'),
});

export type ChangeWhole = z.infer<typeof changeWhole>;

const example = {
  ...changeExample,
  proposed_by: '01JD0Z9X7V5T3R1P9N7L5K3J1H',
  approved_by: null,
  refused_by: null,
  differences: [
    {
      field: 'redirect_uris',
      before: ['https://doors.example/callback'],
      after: ['https://doors.example/callback', 'https://doors.example/callback2'],
      with_new_host: [],
    },
  ],
  revision: '4be1c6f2a0d94c3b8e57f1d2a6c09b73',
} satisfies ChangeWhole;

const present = (change: ShownChange): ChangeWhole => ({
  ...presentChange(change),
  proposed_by: change.by,
  approved_by: change.state === 'approved' ? change.decidedBy : null,
  refused_by: change.state === 'refused' ? change.decidedBy : null,
  differences: change.differences.map(({ field, before, after, withNewHost }) => ({
    field: snakeCase(field),
    before,
    after,
    with_new_host: withNewHost,
  })),
  revision: change.revision,
});

const change = text(fields.change);

const ofChange: PartItem = { part: 'changes', fields: { change: 'change_id' } };

const isWaiting = ({ state }: Json): boolean => state === 'waiting';

/** Each can be decided on while it waits. */
export const ofWaiting: PartItem = {
  ...ofChange,
  isPossible: isWaiting,
};

const decided = async (
  services: Services,
  { addonId, changeId }: { readonly addonId: string; readonly changeId: string },
  outcome: OutcomeWithProblems<ChangeDecided, ChangeRefusal>,
  words: string,
): Promise<TaskOutcome> => {
  if (outcome.ok) {
    const { change: done, position } = outcome.value;
    return { ok: true, text: words, position, json: present(done) };
  }
  const { refusal, problems = [] } = outcome;
  const why = problems.map(({ field, message }) => `${changeField(field)} ${message}`).join('; ');
  const isOther = refusal === 'changed-meanwhile';
  const current = isOther && (await list(services, addonId))?.find(({ change_id: id }) => id === changeId);
  return { ...refused(refusal, why), ...(current && { current }) };
};

const refused = (refusal: ChangeRefusal, why = ''): TaskRefused => ({
  ok: false,
  refusal,
  message: `${changeMessage(refusal)}${why === '' ? '' : `: ${why}`}`,
});

const list = async ({ commands }: Services, addonId: string) =>
  (await commands.listAddonChanges(addonId))?.map(present) ?? null;

export const showChange = task({
  name: 'show-change',
  ...texts['show-change'],
  effect: '',
  isRead: true,
  at: { method: 'GET', path: 'changes/{change}' },
  command: { words: 'addon change show' },
  argument: 'change',
  of: ofChange,
  input: z.object({ change }),
  answers: { shape: changeWhole, example },
  run: async (services, addonId, { change: changeId }) => {
    const all = await list(services, addonId);
    const json = all?.find(({ change_id: id }) => id === changeId);
    if (json) return { ok: true, text: '', position: null, json };
    return all === null ? refused('addon-unknown') : { ...refused('change-unknown'), refusal: 'not-found' };
  },
});

/** Lets a proposal of a publisher take effect (AP-10). */
export const approveChange = task({
  name: 'approve-change',
  ...texts['approve-change'],
  at: { method: 'POST', path: 'changes/{change}/approve' },
  command: { words: 'addon change approve' },
  argument: 'change',
  of: ofWaiting,
  shows: showChange,
  input: z.object({
    change,
    revision: text(fields.revision),
  }),
  answers: {
    shape: changeWhole,
    example: {
      ...example,
      state: 'approved',
      decided_at: '2026-05-03T16:20:00.000Z',
      approved_by: '01JD0Z9X7V5T3R1P9N7L5K3J2M',
    },
  },
  run: async (services, addonId, { change: changeId, revision }, context) => {
    const { by } = actorOf(context);
    const asked = { addonId, changeId, by, revision };
    return decided(services, asked, await services.commands.approveAddonChange(asked, context), 'Approved.');
  },
});

export const refuseChange = task({
  name: 'refuse-change',
  ...texts['refuse-change'],
  at: { method: 'POST', path: 'changes/{change}/refuse' },
  command: { words: 'addon change refuse' },
  argument: 'change',
  of: ofWaiting,
  input: z.object({ change }),
  answers: {
    shape: changeWhole,
    example: {
      ...example,
      state: 'refused',
      decided_at: '2026-05-03T16:20:00.000Z',
      refused_by: '01JD0Z9X7V5T3R1P9N7L5K3J2M',
      reason: 'the address is not yours',
    },
  },
  run: async (services, addonId, { change: changeId }, context) => {
    const asked = { addonId, changeId, reason: context.reason ?? null };
    return decided(services, asked, await services.commands.refuseAddonChange(asked, context), 'Refused.');
  },
});

/** Those that wait are among the newest. */
export const changes: Part = {
  name: 'changes',
  summary: 'List the changes that the publisher proposed, the newest first',
  item: changeWhole,
  example,
  columns: texts.parts.changes,
  isWaiting,
  command: { words: 'addon change list', prints: 'changes' },
  list: async (services, addonId, page) =>
    pageOf((await list(services, addonId)) ?? [], ({ change_id: id }) => id, page),
};
