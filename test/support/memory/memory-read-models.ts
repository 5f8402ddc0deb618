import type { Commands } from '../../../src/commands/commands.ts';
import { knownFrom } from '../../../src/commands/kernel/handle.ts';
import { fenceSubjectsOf, judgeFence, type Fence } from '../../../src/domain/fence/fence.ts';
import { organizationDecider } from '../../../src/domain/organizations/organization.ts';
import { idOf } from '../../../src/domain/kernel/stream-name.ts';
import { recordResources } from '../../../src/domain/records/record-resources.ts';
import type {
  ListReader,
  ListReaders,
  OrganizationAddon,
  ReadModels,
} from '../../../src/projections/read-models.ts';
import { organizationStream } from '../../../src/domain/streams.ts';
import type { memoryStore } from './memory-store.ts';

type Needs = {
  readonly commands: Pick<Commands, 'currentAddon' | 'showActivation'>;
  readonly fence: Pick<Fence, 'read'>;
  readonly store: Pick<ReturnType<typeof memoryStore>, 'all'>;
};

/** Read models that are never behind, of a log in memory. Its lists are empty, and so is what users have allowed. */
export const memoryReadModels = ({ commands, fence, store }: Needs) => {
  const judge: ReadModels['judge'] = async (guarded) =>
    judgeFence(guarded, await fence.read(fenceSubjectsOf(guarded)));
  const page: ListReader<never>['page'] = async ({ guarded, unless }) => {
    const refused = await judge(guarded);
    if (refused !== null) return { refused };
    const version = 'empty';
    if (unless?.includes(version)) return { refused, version, stale: false, unchanged: true };
    const nothing = { items: [], totalItems: 0, first: null, last: null, hasBefore: false, hasAfter: false };
    const sync = { place: { position: 0n, organizationId: '', ordinal: -1 }, state: 0n };
    return { refused: null, version, stale: false, unchanged: false, bound: 0n, sync, ...nothing };
  };
  const changes: ListReader<never>['changes'] = async ({ guarded }) => {
    const refused = await judge(guarded);
    return refused === null ? { refused, stale: false, isKnown: false } : { refused };
  };
  const accounts = () =>
    store.all().flatMap(({ event }) => (event.type === 'AccountCreated' ? [event.data] : []));
  const nameOf = (userId: string | undefined) =>
    accounts().find((account) => account.userId === userId)?.name ?? null;
  const addons = async () => {
    const ids = store
      .all()
      .flatMap(({ event }) => (event.type === 'AddonRegistered' ? [event.data.addonId] : []));
    const found = await Promise.all(ids.map(commands.currentAddon));
    return found.flatMap((addon) =>
      addon ? [{ ...addon, confidential: addon.secretDigests.length > 0 }] : [],
    );
  };
  /** Nothing is held: a grant is in the log, and not here. */
  const held = {
    liveGrants: 0,
    unredeemedCodes: 0,
    approvers: 0,
    scopes: [],
    lastTokenAt: null,
    notRevoked: 0,
  };
  const organizations = () =>
    store.all().flatMap(({ event }) => (event.type === 'OrganizationCreated' ? [event.data] : []));
  const organization = (organizationId: string) => {
    const events = store.all().filter(({ stream }) => stream === organizationStream(organizationId));
    const { state } = knownFrom(organizationDecider, events);
    return state.status === 'created' ? { ...state, isClosed: state.state === 'closed' } : null;
  };
  return {
    ...(Object.fromEntries(
      recordResources.map(({ key }) => [key, { page, changes }]),
    ) as unknown as ListReaders),
    judge,
    activeAddons: () => Promise.resolve([]),
    namesInUse: () => Promise.resolve([]),
    partnerChanges: () => Promise.resolve([]),
    addonsApprovedBy: () => Promise.resolve([]),
    addons,
    addonsOf: async (organizationId) => {
      const all = (await addons()).filter(({ redirectUris }) => redirectUris.length > 0);
      const listed = await Promise.all(
        all.map(async (addon): Promise<OrganizationAddon> => {
          const { status, epoch, history } = await commands.showActivation(organizationId, addon.addonId);
          const { activated, deactivated, revokedGrants = null } = history.at(-1) ?? {};
          return {
            ...addon,
            ...held,
            status,
            epoch,
            revokedGrants,
            activatedBy: activated?.by ?? null,
            activatedByName: nameOf(activated?.by),
            activatedAt: timeOf(activated?.at),
            deactivatedBy: deactivated?.by ?? null,
            deactivatedByName: nameOf(deactivated?.by),
            deactivatedAt: timeOf(deactivated?.at),
          };
        }),
      );
      return listed.toSorted((a, b) => a.name.localeCompare(b.name));
    },
    approvals: () => Promise.resolve([]),
    beginCount: () => () => Promise.resolve(held),
    connections: () => Promise.resolve(held),
    grants: () => Promise.resolve([]),
    named: (_kind, name, limit, after = '') =>
      Promise.resolve(
        accounts()
          .flatMap((account) => (account.name === name && account.userId > after ? [account.userId] : []))
          .toSorted()
          .slice(0, limit),
      ),
    namesOf: (userIds) =>
      Promise.resolve(
        new Map(userIds.flatMap((id) => (nameOf(id) === null ? [] : [[id, nameOf(id) ?? '']]))),
      ),
    organization: (organizationId) => Promise.resolve(organization(organizationId)),
    organizationsAdministeredBy: (userId) => {
      const mine = new Set<string>();
      for (const { stream, event } of store.all())
        if (event.type === 'AdministratorAdded' && event.data.userId === userId) mine.add(stream);
        else if (event.type === 'AdministratorRemoved' && event.data.userId === userId) mine.delete(stream);
      return Promise.resolve(
        organizations()
          .filter(({ organizationId }) => mine.has(organizationStream(organizationId)))
          .toSorted((a, b) => a.name.localeCompare(b.name)),
      );
    },
    namesOfGrant: async (guarded) => {
      const refused = await judge(guarded);
      if (refused !== null) return { refused };
      const { userId, subject } = guarded;
      const account = accounts().find((one) => one.userId === userId);
      return {
        refused,
        user: account
          ? { ...account, emailVerified: account.emailVouchedBy !== 'nobody', updatedAt: account.at }
          : null,
        organization: subject.kind === 'organization' ? organization(subject.organizationId) : null,
      };
    },
    publisherIds: () =>
      Promise.resolve({
        rows: store
          .all()
          .flatMap(({ event }) =>
            event.type === 'PublisherCreated' ? [{ id: event.data.publisherId }] : [],
          ),
        next: null,
      }),
    publishersOf: (userId) =>
      Promise.resolve([
        ...new Set(
          store
            .all()
            .flatMap(({ stream, event }) =>
              event.type === 'PublisherMemberAdded' && event.data.userId === userId ? [idOf(stream)] : [],
            ),
        ),
      ]),
    addonsOfPublishers: async (publisherIds) =>
      (await addons())
        .filter(({ publisherId }) => publisherId !== null && publisherIds.includes(publisherId))
        .map(({ addonId }) => addonId),
    activeOrganizations: () => Promise.resolve([]),
    countActiveOrganizations: () => Promise.resolve({ shown: 0, hidden: 0 }),
    waitFor: () => Promise.resolve(true),
  } satisfies Partial<ReadModels>;
};

const timeOf = (at: number | undefined): string | null =>
  at === undefined ? null : new Date(at).toISOString();
