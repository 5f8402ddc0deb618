import { z } from 'zod';
import type { AddonChange, ProposedChange } from '../../domain/addons/addon.ts';
import { address, several, type Words } from '../fields.ts';
import { shown, state } from '../answer-fields.ts';
import { english } from '../../common/words.ts';
import { snakeCase } from '../../domain/kernel/snake-case.ts';
import { eachSentAddress, eachWebAddress } from '../../domain/addons/web-addresses.ts';

const { fields, addon: texts } = english.tasks;

const uris = (words: Words) => several(address(words)).optional();

/** What a publisher may propose: fields of `addon update`. */
export const changeFields = z.object({
  add_redirect_uri: uris(fields.add_redirect_uri),
  remove_redirect_uri: uris(fields.remove_redirect_uri),
  configuration_url: address(texts.fields.configuration_url).optional(),
  add_post_logout_redirect_uri: uris(fields.add_post_logout_redirect_uri),
  remove_post_logout_redirect_uri: uris(fields.remove_post_logout_redirect_uri),
  ...eachSentAddress((field) => address(fields[field]).optional()),
});

export const proposalIn = (sent: z.infer<typeof changeFields>): ProposedChange => ({
  addRedirectUris: sent.add_redirect_uri ?? [],
  removeRedirectUris: sent.remove_redirect_uri ?? [],
  configurationUrl: sent.configuration_url ?? null,
  addPostLogoutRedirectUris: sent.add_post_logout_redirect_uri ?? [],
  removePostLogoutRedirectUris: sent.remove_post_logout_redirect_uri ?? [],
  ...eachWebAddress((name) => sent[snakeCase(name)] ?? null),
});

const uriList = () => z.array(z.string()).readonly();
const time = () => z.string().meta({ format: 'date-time' });

export const changeTones = { waiting: 'wait', approved: 'good', refused: 'stop', withdrawn: 'off' } as const;

/** A change as publishers see it: without its author. */
export const changeShape = z.object({
  change_id: shown(z.string(), { isTitle: true }),
  state: state(['waiting', 'approved', 'refused', 'withdrawn'], changeTones),
  add_redirect_uri: shown(uriList(), { as: 'proposal', label: 'change' }),
  remove_redirect_uri: shown(uriList(), { isRepeated: true }),
  configuration_url: z.string().nullable().describe('`null`: stays as it is.'),
  add_post_logout_redirect_uri: uriList(),
  remove_post_logout_redirect_uri: uriList(),
  ...eachSentAddress(() => z.string().nullable()),
  requested_at: shown(time(), { from: 'm' }),
  decided_at: time().nullable(),
  reason: z.string().nullable().describe('Why it was refused.'),
});

export type ChangeItem = z.infer<typeof changeShape>;

export const presentChange = (change: AddonChange): ChangeItem => ({
  change_id: change.changeId,
  state: change.state,
  add_redirect_uri: change.addRedirectUris,
  remove_redirect_uri: change.removeRedirectUris,
  configuration_url: change.configurationUrl,
  add_post_logout_redirect_uri: change.addPostLogoutRedirectUris,
  remove_post_logout_redirect_uri: change.removePostLogoutRedirectUris,
  ...eachSentAddress((_field, name) => change[name]),
  requested_at: new Date(change.requestedAt).toISOString(),
  decided_at: change.decidedAt === null ? null : new Date(change.decidedAt).toISOString(),
  reason: change.reason,
});

export const changeExample: ChangeItem = {
  change_id: '01JD5N7Q9S1V3X5Z7B9D1F3H5K',
  state: 'waiting',
  add_redirect_uri: ['https://doors.example/callback2'],
  remove_redirect_uri: [],
  configuration_url: null,
  add_post_logout_redirect_uri: [],
  remove_post_logout_redirect_uri: [],
  ...eachSentAddress(() => null),
  requested_at: '2026-05-03T16:04:31.000Z',
  decided_at: null,
  reason: null,
};

/** The field that a problem of a change comes from: `addRedirectUri[0]` is `add_redirect_uri`, and a list of the add-on what adds to it. */
export const changeField = (field: string): string => {
  const name = snakeCase(field.replace(/\[\d+\]$/, ''));
  return name in changeFields.shape ? name : `add_${name.replace(/s$/, '')}`;
};

const messages = {
  'addon-unknown': 'no add-on has this client_id',
  'addon-retired': 'the add-on was retired',
  'change-empty': `nothing to change: send one of ${Object.keys(changeFields.shape).join(', ')}`,
  'change-invalid': 'the add-on cannot be changed like this',
  'too-many-changes': 'too many changes wait for an operator: withdraw one first',
  'addon-public': 'the add-on is public: only one that was registered as confidential has secrets',
  'too-many-secrets': 'the add-on has the maximum number of secrets; remove one first',
  'secret-unknown': 'the add-on has no such secret',
  'last-secret': 'it is the last secret of the add-on; add another one first',
  'change-unknown': 'the add-on has no such change; its list of changes has their ids',
  'change-decided': 'the change does not wait any more: it was approved, refused or withdrawn',
  'changed-meanwhile':
    'nothing was done, because what it changes is not what you have seen: look at it again',
  'change-outdated': 'the change no longer fits the add-on: refuse it, and let the publisher propose another',
  'own-change':
    'the same person is behind the proposal and this approval, by name or by a token that they made: another operator has to approve it',
  'author-not-a-member':
    'the proposal has ended, because whoever proposed it left the publisher or was disabled: refuse it',
};

export type ChangeRefusal = keyof typeof messages;

export const changeMessage = (refusal: ChangeRefusal): string => messages[refusal];
