import type { Commands } from '../../../src/commands/commands.ts';
import { fenceSubjectsOf, judgeFence, type Fence } from '../../../src/domain/fence/fence.ts';
import { recordResources } from '../../../src/domain/records/record-resources.ts';
import type { ListReader, ListReaders, ReadModels } from '../../../src/projections/read-models.ts';
import { organizationStream } from '../../../src/domain/streams.ts';
import type { memoryStore } from './memory-store.ts';

type Needs = {
  readonly commands: Pick<Commands, 'findAddon'>;
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
    return { refused: null, version, stale: false, unchanged: false, bound: 0n, ...nothing };
  };
  const organizations = () =>
    store.all().flatMap(({ event }) => (event.type === 'OrganizationCreated' ? [event.data] : []));
  return {
    ...(Object.fromEntries(recordResources.map(({ key }) => [key, { page }])) as unknown as ListReaders),
    judge,
    addonsAllowedBy: () => Promise.resolve([]),
    addons: async () => {
      const ids = store
        .all()
        .flatMap(({ event }) => (event.type === 'AddonRegistered' ? [event.data.addonId] : []));
      const found = await Promise.all(ids.map(commands.findAddon));
      return found.flatMap((addon) =>
        addon ? [{ ...addon, confidential: addon.secretDigests.length > 0 }] : [],
      );
    },
    organization: (organizationId) => {
      const found = organizations().find((one) => one.organizationId === organizationId);
      return Promise.resolve(found ? { ...found, isClosed: false } : null);
    },
    organizationsAdministeredBy: (userId) => {
      const mine = new Set<string>();
      for (const { stream, event } of store.all())
        if (event.type === 'AdministratorAdded' && event.data.userId === userId) mine.add(stream);
        else if (event.type === 'AdministratorRemoved' && event.data.userId === userId) mine.delete(stream);
      return Promise.resolve(
        organizations().filter(({ organizationId }) => mine.has(organizationStream(organizationId))),
      );
    },
    userInfo: async (guarded) => {
      const refused = await judge(guarded);
      if (refused !== null) return { refused };
      const account = store
        .all()
        .map(({ event }) => event)
        .find((event) => event.type === 'AccountCreated' && event.data.userId === guarded.userId);
      if (account?.type !== 'AccountCreated') return { refused, user: null };
      const { name, email, at: updatedAt } = account.data;
      return { refused, user: { name, email, emailVerified: null, updatedAt } };
    },
    waitFor: () => Promise.resolve(true),
  } satisfies Partial<ReadModels>;
};
