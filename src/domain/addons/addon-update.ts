import { english } from '../../common/words.ts';
import type {
  AddonDetails,
  AddonEvent,
  AddonState,
  AllowedAudience,
  Logo,
  ProposedChange,
  Unsettable,
} from './addon.ts';
import { audienceProblem } from '../access/audience.ts';
import { audienceChangeProblems, changeAudiences } from './addon-audiences.ts';
import { registrationProblems } from './addon-registration.ts';
import { accept, refuse, type Decision, type Instant, type FieldProblem } from '../kernel/decision.ts';
import { nameProblem } from '../kernel/name.ts';
import { isRegisteredRedirectUri, redirectUriProblem } from './redirect-uri.ts';
import { askableWith, isWithin, type AllowedScope, type Scope } from '../access/scope.ts';
import { eachWebAddress, webAddresses } from './web-addresses.ts';

/** Null, or an empty list: it stays as it is. */
export type AddonUpdate = {
  readonly name: string | null;
  readonly addRedirectUris: readonly string[];
  readonly removeRedirectUris: readonly string[];
  readonly configurationUrl: string | null;
  readonly scopes: readonly AllowedScope[] | null;
  readonly addPostLogoutRedirectUris: readonly string[];
  readonly removePostLogoutRedirectUris: readonly string[];
  readonly addAudiences: readonly AllowedAudience[];
  readonly removeAudiences: readonly string[];
  /** Whole new lists, before what is added and removed. */
  readonly redirectUris?: readonly string[] | null;
  readonly postLogoutRedirectUris?: readonly string[] | null;
  readonly allowedAudiences?: readonly AllowedAudience[] | null;
  readonly audiences?: readonly string[] | null;
  /** What it has no longer. */
  readonly unset?: readonly Unsettable[];
  readonly verified?: boolean | null;
} & AddonDetails;

export const emptyChange: ProposedChange = {
  addRedirectUris: [],
  removeRedirectUris: [],
  configurationUrl: null,
  addPostLogoutRedirectUris: [],
  removePostLogoutRedirectUris: [],
  ...eachWebAddress(() => null),
};

export const unchanged: AddonUpdate = {
  ...emptyChange,
  name: null,
  scopes: null,
  addAudiences: [],
  removeAudiences: [],
  redirectUris: null,
  postLogoutRedirectUris: null,
  allowedAudiences: null,
  audiences: null,
  unset: [],
  publisher: null,
  logo: null,
};

export type UpdateRefusal = 'addon-unknown' | 'addon-retired' | 'addon-invalid' | 'too-many-audiences';

type Registered = Exclude<AddonState, { readonly status: 'unregistered' }>;

/** Changes an add-on (AM-12); what is already so changes nothing. For `addon-invalid`, `updateProblems` says what is wrong. */
export const updateAddon = (
  addon: AddonState,
  /** `isRepeat`: an earlier try may have removed what is to be removed. */
  { now, isRepeat = false, ...update }: AddonUpdate & { readonly now: Instant; readonly isRepeat?: boolean },
): Decision<AddonEvent, UpdateRefusal> => {
  if (addon.status === 'unregistered') return refuse('addon-unknown');
  if (addon.status === 'retired') return refuse('addon-retired');
  if (updateProblems(addon, update, isRepeat).length > 0) return refuse('addon-invalid');
  const audiences = changeAudiences(addon, { ...audienceChange(addon, update), now });
  if (audiences.refusal) return refuse(audiences.refusal);
  const replaced = replacedBy(addon, update);
  const changes = changesOf(addon, update);
  const isChanged = Object.values(changes).some((value) => value !== null);
  const updated: AddonEvent = { type: 'AddonUpdated', data: { ...changes, at: now } };
  const isReplaced = replaced.unset.length > 0 || replaced.audiences !== null;
  return accept<AddonEvent>(
    ...(isChanged ? [updated] : []),
    ...(isReplaced ? [{ type: 'AddonPropertiesReplaced', data: { ...replaced, at: now } } as const] : []),
    ...audiences.events,
    ...verification(addon, update, now),
  );
};

const verification = (
  addon: Registered,
  { verified = null }: AddonUpdate,
  at: Instant,
): readonly AddonEvent[] =>
  verified === null || verified === addon.verified
    ? []
    : [{ type: 'AddonVerificationSet', data: { verified, at } }];

const replacedBy = (addon: Registered, { unset = [], audiences = null }: AddonUpdate) => ({
  unset: [...new Set(unset)].filter((field) => addon[field] !== null),
  audiences: audiences === null || isSameSet(addon.audiences, audiences) ? null : audiences,
});

/** What is added and removed for a whole new list of other servers' resources, too. */
const audienceChange = (
  { allowedAudiences: present }: Registered,
  { allowedAudiences: whole = null, addAudiences: add, removeAudiences: remove }: AddonUpdate,
) => {
  if (whole === null) return { add, remove };
  const names = new Set(whole.map(({ audience }) => audience));
  const known = new Set(present.map(({ audience }) => audience));
  return {
    add: [...whole.filter(({ audience }) => !known.has(audience)), ...add],
    remove: [...present.flatMap(({ audience }) => (names.has(audience) ? [] : [audience])), ...remove],
  };
};

const changesOf = (addon: Registered, update: AddonUpdate) => {
  const after = afterwards(addon, update);
  const changed = <T>(before: T, then: T): T | null =>
    JSON.stringify(before) === JSON.stringify(then) ? null : then;
  return {
    name: changed(addon.name, after.name),
    redirectUris: isSameSet(addon.redirectUris, after.redirectUris) ? null : after.redirectUris,
    configurationUrl: changed(addon.configurationUrl, after.configurationUrl),
    allowedScopes: isSameSet(addon.allowedScopes, after.allowedScopes) ? null : after.allowedScopes,
    postLogoutRedirectUris: isSameSet(addon.postLogoutRedirectUris, after.postLogoutRedirectUris)
      ? null
      : after.postLogoutRedirectUris,
    publisher: changed(addon.publisher, after.publisher),
    ...eachWebAddress((name) => changed(addon[name], after[name])),
    logo: changed(addon.logo, after.logo),
  };
};

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((item) => other.includes(item));

/** The add-on with what an update sets, valid or not. */
export const afterwards = (addon: Registered, update: AddonUpdate) => ({
  ...addon,
  name: update.name ?? addon.name,
  redirectUris: listAfter(
    update.redirectUris ?? addon.redirectUris,
    update.addRedirectUris,
    update.removeRedirectUris,
  ),
  configurationUrl: update.configurationUrl ?? addon.configurationUrl,
  allowedScopes: update.scopes ? [...new Set(update.scopes)] : addon.allowedScopes,
  postLogoutRedirectUris: listAfter(
    update.postLogoutRedirectUris ?? addon.postLogoutRedirectUris,
    update.addPostLogoutRedirectUris,
    update.removePostLogoutRedirectUris,
  ),
  audiences: update.audiences ?? addon.audiences,
  publisher: update.publisher ?? addon.publisher,
  ...eachWebAddress((name) => update[name] ?? addon[name]),
  logo: update.logo ?? addon.logo,
});

const listAfter = (
  before: readonly string[],
  added: readonly string[],
  removed: readonly string[],
): readonly string[] => [...new Set([...before, ...added])].filter((item) => !removed.includes(item));

/** What is wrong with an update of this add-on, by field; empty when it is valid. */
export const updateProblems = (
  addon: AddonState,
  update: AddonUpdate,
  isRepeat = false,
): readonly FieldProblem[] => {
  if (addon.status === 'unregistered') return [];
  const { allowedAudiences } = addon;
  const redirectUris = update.redirectUris ?? addon.redirectUris;
  const postLogoutRedirectUris = update.postLogoutRedirectUris ?? addon.postLogoutRedirectUris;
  const audiences = allowedAudiences.map(({ audience }) => audience);
  const added = update.addAudiences.map(({ audience }) => audience);
  const { addRedirectUris, removeRedirectUris, addPostLogoutRedirectUris, removePostLogoutRedirectUris } =
    update;
  return [
    ...both('addRedirectUri', addRedirectUris, removeRedirectUris),
    ...both('addPostLogoutRedirectUri', addPostLogoutRedirectUris, removePostLogoutRedirectUris),
    ...audienceChangeProblems({ add: update.addAudiences, remove: update.removeAudiences }),
    ...twice('redirectUris', update.redirectUris ?? null),
    ...twice('postLogoutRedirectUris', update.postLogoutRedirectUris ?? null),
    ...(update.allowedAudiences ?? []).flatMap(({ audience }, index) =>
      problemOf(`allowedAudiences[${index}]`, audienceProblem(audience)),
    ),
    ...(update.unset ?? []).flatMap((field) =>
      problemOf(field, update[field] === null ? null : 'is set and removed'),
    ),
    ...(update.unset?.includes('publisher') ? problemOf('publisher', followsProblem(addon)) : []),
    ...(isRepeat
      ? []
      : [
          ...absent('removeRedirectUri', removeRedirectUris, redirectUris, addRedirectUris),
          ...absent(
            'removePostLogoutRedirectUri',
            removePostLogoutRedirectUris,
            postLogoutRedirectUris,
            addPostLogoutRedirectUris,
          ),
          ...absent('removeAudience', update.removeAudiences, audiences, added),
        ]),
    ...registrationProblems(afterwards(addon, update), addon),
    ...problemOf('publisher', update.publisher === null ? null : publisherProblem(addon, update.publisher)),
    ...webAddresses.flatMap((field) =>
      problemOf(field, update[field] === null ? null : webAddressProblem(update[field])),
    ),
    ...problemOf('logo', update.logo && logoProblem(update.logo)),
  ];
};

const problemOf = (field: string, message: string | null): readonly FieldProblem[] =>
  message === null ? [] : [{ field, message }];

const publisherProblem = (addon: Registered, name: string): string | null =>
  (name === addon.publisher ? null : followsProblem(addon)) ?? nameProblem(name);

const followsProblem = ({ publisherId }: Registered): string | null =>
  publisherId === null ? null : english.problems.followsPublisher(publisherId);

const twice = (field: string, values: readonly string[] | null): readonly FieldProblem[] =>
  (values ?? []).flatMap((value, index, all) =>
    all.indexOf(value) < index
      ? [{ field: `${field}[${index}]`, message: english.problems.listedTwice }]
      : [],
  );

const both = (field: string, added: readonly string[], removed: readonly string[]): readonly FieldProblem[] =>
  added.flatMap((uri, index) =>
    removed.includes(uri) ? [{ field: `${field}[${index}]`, message: english.problems.addedAndRemoved }] : [],
  );

const absent = (
  field: string,
  removed: readonly string[],
  present: readonly string[],
  added: readonly string[],
): readonly FieldProblem[] => {
  const { noneThere, notThere } = english.problems;
  const message = present.length === 0 ? noneThere : notThere(present.join(' '));
  return removed.flatMap((value, index) =>
    present.includes(value) || added.includes(value) ? [] : [{ field: `${field}[${index}]`, message }],
  );
};

const webAddressProblem = (url: string): string | null =>
  url.startsWith('https:') ? redirectUriProblem(url) : english.problems.httpsAddress;

export const mostLogoBytes = 65_536;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** The first bytes of each type of file, in base64: of WebP `RIFF`, four bytes, and `WEBP`. */
const beginnings = {
  'image/png': /^iVBORw0KGgo/,
  'image/jpeg': /^\/9j\//,
  'image/webp': /^UklGR[g-v][A-Za-z0-9+/]{5}XRUJQ/,
} as const;

const logoProblem = ({ mediaType, data }: Logo): string | null => {
  if (bytesIn(data) > mostLogoBytes) return english.problems.tooManyBytes(mostLogoBytes);
  return base64.test(data) && beginnings[mediaType].test(data) ? null : english.problems.image;
};

const bytesIn = (data: string): number => Math.floor((data.replace(/=+$/, '').length * 3) / 4);

/** The logo in a file, by its first bytes; null if it is neither PNG, JPEG nor WebP. @param data base64 */
export const logoIn = (data: string): Logo | null => {
  const mediaType = (['image/png', 'image/jpeg', 'image/webp'] as const).find((type) =>
    beginnings[type].test(data),
  );
  return mediaType ? { mediaType, data } : null;
};

/** Why an add-on gets or may exchange no code after a change (AM-12): its redirect URI or a scope was removed. */
export type Withdrawn = 'redirect-uri-removed' | 'scope-removed';

/** Judges a code's redirect URI and scopes by what the add-on may use now; null if it may use both. */
export const withdrawnFrom = (
  addon: { readonly redirectUris: readonly string[]; readonly allowedScopes: readonly AllowedScope[] },
  { redirectUri, scopes }: { readonly redirectUri: string; readonly scopes: readonly Scope[] },
): Withdrawn | null => {
  if (!isRegisteredRedirectUri(addon.redirectUris, redirectUri)) return 'redirect-uri-removed';
  return isWithin(scopes, askableWith(addon.allowedScopes)) ? null : 'scope-removed';
};
