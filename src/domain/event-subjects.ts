import { isUserId } from './kernel/actor.ts';
import { categoryOf, idOf, isOfCategory, splitId } from './kernel/stream-name.ts';

export const aboutKinds = ['organization', 'addon', 'user', 'grant'] as const;
export type AboutKind = (typeof aboutKinds)[number];
export type About = { readonly kind: AboutKind; readonly id: string };
/** What has a name of its own. */
export type NameOf = { readonly kind: AboutKind | 'publisher'; readonly id: string };

/** The subjects of a grant's or a session's stream. Only its first event names them. */
export type Owner = {
  readonly organizationId: string | null;
  readonly addonId: string | null;
  readonly userId: string | null;
};

/** What the event's data do not contain. */
export type Place = {
  /** The part of the stream's name after the first dash. */
  readonly streamId: string;
  /** Null where it is not known. */
  readonly owner: Owner | null;
};

export const organization = (id: string): About => ({ kind: 'organization', id });
export const addon = (id: string): About => ({ kind: 'addon', id });
export const user = (id: string): About => ({ kind: 'user', id });

export const thisAddon = (_data: unknown, { streamId }: Place) => [addon(streamId)];
export const thisUser = (_data: unknown, { streamId }: Place) => [user(streamId)];
export const thisOrganization = (_data: unknown, { streamId }: Place) => [organization(streamId)];

export const owned = ({ owner }: Place): readonly About[] => [
  ...(owner?.organizationId ? [organization(owner.organizationId)] : []),
  ...(owner?.addonId ? [addon(owner.addonId)] : []),
  ...(owner?.userId ? [user(owner.userId)] : []),
];
export const thisGrant = (_data: unknown, place: Place): readonly About[] => [
  { kind: 'grant', id: place.streamId },
  ...owned(place),
];
export const thisSession = (_data: unknown, place: Place) => owned(place);

export const thisActivation = (_data: unknown, place: Place) => {
  const [organizationId, addonId] = splitId(place.streamId);
  return [organization(organizationId), addon(addonId)];
};
/** `by` is a user, or the actor on the command line. */
export const switchedBy = ({ by }: { readonly by: string }, place: Place) => [
  ...thisActivation(null, place),
  ...(isUserId(by) ? [user(by)] : []),
];

const ofCategory: Readonly<Record<string, (data: unknown, place: Place) => readonly About[]>> = {
  addon: thisAddon,
  signalStream: thisAddon,
  account: thisUser,
  organization: thisOrganization,
  activation: thisActivation,
  grant: thisGrant,
};

export const subjectsOfStream = (stream: string): readonly About[] =>
  ofCategory[categoryOf(stream)]?.(null, { streamId: idOf(stream), owner: null }) ?? [];

/** Whether the subjects of later events come from the stream's first event. */
export const hasOwner = (stream: string): boolean =>
  isOfCategory(stream, 'grant') || isOfCategory(stream, 'session');
