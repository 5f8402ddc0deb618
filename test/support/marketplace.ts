import type { Instant } from '../../src/domain/decision.ts';
import type { StreamName } from '../../src/domain/streams.ts';
import { makeCreateOrganization } from '../../src/commands/create-organization.ts';
import { makeCreateUser } from '../../src/commands/create-user.ts';
import { makeAddonDirectory } from '../../src/commands/find-addon.ts';
import { makeIsAdministrator } from '../../src/commands/is-administrator.ts';
import { defaultLifetimes } from '../../src/commands/needs.ts';
import { makeNewId } from '../../src/commands/new-id.ts';
import { makePasswords } from '../../src/commands/passwords.ts';
import { makeReadSession } from '../../src/commands/read-session.ts';
import { makeRegisterAddon } from '../../src/commands/register-addon.ts';
import { makeSignIn } from '../../src/commands/sign-in.ts';
import { makeSignOut } from '../../src/commands/sign-out.ts';
import { makeResumeAddon, makeSuspendAddon } from '../../src/commands/suspend-addon.ts';
import { memoryFence } from './memory-fence.ts';
import { memoryStore, type MemoryStoreHooks } from './memory-store.ts';

/** Real argon2id, made cheap: how hard a password is to guess is nothing that these tests look at. */
const passwords = await makePasswords({ memoryCost: 8, timeCost: 1 });

/** The marketplace's commands over a log, a fence and a clock in memory. */
export const marketplace = (hooks: MemoryStoreHooks = {}) => {
  let time: Instant = Date.UTC(2026, 0, 1);
  const reads: StreamName[] = [];
  const store = memoryStore({
    ...hooks,
    beforeRead: (stream) => {
      reads.push(stream);
      return hooks.beforeRead?.(stream);
    },
  });
  const fence = memoryFence();
  const now = () => time;
  const keys = { current: 'k1', keys: new Map([['k1', new Uint8Array(32).fill(7)]]) };
  const needs = { store, fence, keys, now, newId: makeNewId(now), passwords, lifetimes: defaultLifetimes };
  const addons = makeAddonDirectory(needs);
  return {
    ...needs,
    /** Streams that were read, in order. */
    reads,
    pass: (milliseconds: number) => (time += milliseconds),
    types: () => store.all().map(({ event }) => event.type),
    findAddon: addons.find,
    registerAddon: makeRegisterAddon(needs),
    suspendAddon: makeSuspendAddon({ ...needs, addons }),
    resumeAddon: makeResumeAddon({ ...needs, addons }),
    createOrganization: makeCreateOrganization(needs),
    createUser: makeCreateUser(needs),
    isAdministrator: makeIsAdministrator(needs),
    signIn: makeSignIn(needs),
    readSession: makeReadSession(needs),
    signOut: makeSignOut(needs),
  };
};

/** The value of an outcome that must be a success. */
export const valueOf = <T>(outcome: {
  readonly ok: boolean;
  readonly value?: T;
  readonly refusal?: string;
}): T => {
  if (outcome.value === undefined) throw new Error(`refused: ${outcome.refusal}`);
  return outcome.value;
};
