import type { Instant } from '../../../src/domain/kernel/decision.ts';
import type { StreamName } from '../../../src/domain/streams.ts';
import type { SignIn } from '../../../src/commands/sign-in/sign-in.ts';
import { defaultLifetimes } from '../../../src/commands/kernel/dependencies.ts';
import { makeNewId } from '../../../src/commands/kernel/new-id.ts';
import { makePasswords } from '../../../src/commands/people/credentials/passwords.ts';
import type { EventStore } from '../../../src/eventstore/event-store.ts';
import { memoryAddonGrants } from '../memory/memory-addon-grants.ts';
import { memoryFence } from '../memory/memory-fence.ts';
import { memoryPersons } from '../memory/memory-persons.ts';
import { memoryStore, type MemoryStoreHooks } from '../memory/memory-store.ts';
import { memoryWriteSide } from '../memory/memory-write-side.ts';
import { tracedCommands } from '../memory/traced-commands.ts';

export { valueOf } from '../outcomes.ts';

/** Real argon2id with low cost: the strength of passwords is not tested here. */
const passwords = await makePasswords({ memoryCost: 8, timeCost: 1 });

/** The commands on a log, a fence and a clock in memory; or on another log, to test the real connection. */
export const marketplace = (hooks: MemoryStoreHooks = {}, log?: EventStore) => {
  let time: Instant = Date.UTC(2026, 0, 1);
  const reads: StreamName[] = [];
  const asked: number[] = [];
  let isBehind = false;
  const memory = memoryStore({
    ...hooks,
    beforeRead: (stream) => {
      reads.push(stream);
      return hooks.beforeRead?.(stream);
    },
  });
  const fence = memoryFence();
  const now = () => time;
  const keys = { current: 'k1', keys: new Map([['k1', new Uint8Array(32).fill(7)]]) };
  const ids = makeNewId(now);
  const besides: Promise<unknown>[] = [];
  const common = { store: log ?? memory, fence, keys, now, newId: ids, lifetimes: defaultLifetimes };
  const writeSide = memoryWriteSide(common, {
    access: { rotationsPerHour: 0, addonGrants: memoryAddonGrants(() => memory.all()) },
    accounts: {
      persons: memoryPersons(),
      // Like the read model, it also finds those who were operators once.
      operators: () =>
        Promise.resolve([
          ...new Set(
            memory.all().flatMap(({ stream, event }) => {
              const named =
                (event.type === 'AccountCreated' && event.data.roles.includes('operator')) ||
                (event.type === 'RoleGranted' && event.data.role === 'operator');
              return named ? [stream.slice('account-'.length)] : [];
            }),
          ),
        ]),
      /** Like the read model, it also finds names from before. */
      namesOfOrganizations: (names: readonly string[]) => {
        asked.push(names.length);
        if (isBehind) return Promise.resolve(new Set<string>());
        const known = memory.all().flatMap(({ stream, event }) => {
          if (event.type === 'OrganizationCreated') return [stream.slice('organization-'.length)];
          return event.type === 'OrganizationExternalIdSet' ? [event.data.externalId] : [];
        });
        return Promise.resolve(new Set(names.filter((name) => known.includes(name))));
      },
    },
    credentials: { passwords, inBackground: (work) => void besides.push(work) },
  });
  const commands = tracedCommands(writeSide);
  return {
    ...common,
    ...writeSide.accounts,
    ...writeSide.credentials,
    ...writeSide.signIn,
    store: memory,
    writeSide,
    ...commands,
    /** From an unknown browser, unless the test passes one. */
    signIn: (request: Omit<SignIn, 'from'> & Partial<Pick<SignIn, 'from'>>) =>
      commands.signIn({ from: { network: '192.0.2.1', device: null }, ...request }),
    /** Waits for background tasks. */
    settle: async () => void (await Promise.all(besides)),
    /** Streams that were read, in order. */
    reads,
    /** How many names of organizations were looked up, by each query. */
    asked,
    /** The read models of names are behind from now on: they know no organization. */
    forgetNames: () => void (isBehind = true),
    pass: (milliseconds: number) => (time += milliseconds),
    types: () => memory.all().map(({ event }) => event.type),
  };
};
