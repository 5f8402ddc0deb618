import { z } from 'zod';
import type { ChangeDecided } from '../../commands/publishers/addon-changes.ts';
import type { OutcomeWithProblems } from '../../commands/kernel/outcome.ts';
import type { AddonChange } from '../../domain/addons/addon.ts';
import { text } from '../fields.ts';
import { pageOf, task, type Part, type TaskOutcome } from '../task.ts';
import { changeExample, changeField, changeMessage, changeShape, presentChange } from './addon-changes.ts';

/** As operators see it: with its author. */
const shape = z.object({ ...changeShape.shape, user_id: z.string().describe('Who proposed it.') });
const example = { ...changeExample, user_id: '01JD0Z9X7V5T3R1P9N7L5K3J1H' } satisfies z.infer<typeof shape>;

const present = (change: AddonChange): z.infer<typeof shape> => ({
  ...presentChange(change),
  user_id: change.by,
});

const input = z.object({ change: text({ title: 'Change', description: 'change_id, as the list has it' }) });

const decided = (outcome: OutcomeWithProblems<ChangeDecided, string>, words: string): TaskOutcome => {
  if (outcome.ok) {
    const { change, position } = outcome.value;
    return { ok: true, text: words, position, json: present(change) };
  }
  const { refusal, problems = [] } = outcome;
  const why = problems.map(({ field, message }) => `${changeField(field)} ${message}`).join('; ');
  return {
    ok: false,
    refusal,
    message: `${changeMessage(refusal)}${why === '' ? '' : `: ${why}`}`,
  };
};

/** Lets a proposal of a publisher take effect (AP-10). */
export const approveChange = task({
  name: 'approve-change',
  summary: 'Approve a change that the publisher proposed',
  effect:
    'It takes effect like a change by an operator: a removed redirect URI is refused immediately. Grants stay. Nobody approves what they proposed, themselves or with a token that they made.',
  at: { method: 'POST', path: 'changes/{change}/approve' },
  command: { words: 'addon change approve' },
  argument: 'change',
  input,
  answers: { shape, example: { ...example, state: 'approved', decided_at: '2026-05-03T16:20:00.000Z' } },
  run: async ({ commands }, addonId, { change: changeId }, context) => {
    const by = context.acting?.actor ?? 'operator';
    return decided(await commands.approveAddonChange({ addonId, changeId, by }, context), 'Approved.');
  },
});

export const refuseChange = task({
  name: 'refuse-change',
  summary: 'Refuse a change that the publisher proposed',
  effect: 'Nothing changes. The publisher sees the reason.',
  at: { method: 'POST', path: 'changes/{change}/refuse' },
  command: { words: 'addon change refuse' },
  argument: 'change',
  input,
  answers: {
    shape,
    example: {
      ...example,
      state: 'refused',
      decided_at: '2026-05-03T16:20:00.000Z',
      reason: 'the address is not yours',
    },
  },
  run: async ({ commands }, addonId, { change: changeId }, context) => {
    const request = { addonId, changeId, reason: context.reason ?? null };
    return decided(await commands.refuseAddonChange(request, context), 'Refused.');
  },
});

/** Those that wait are among the newest. */
export const changes: Part = {
  name: 'changes',
  summary: 'List the changes that the publisher proposed, the newest first',
  item: shape,
  example,
  columns: { change_id: 'Change', state: 'State', requested_at: 'Proposed', user_id: 'By' },
  command: { words: 'addon change list', prints: 'changes' },
  list: async ({ commands }, addonId, page) =>
    pageOf(((await commands.listAddonChanges(addonId)) ?? []).map(present), ({ change_id: id }) => id, page),
};
