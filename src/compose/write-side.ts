import { withTimeoutOrNull } from '../common/with-timeout.ts';
import { lifetimesOf } from '../commands/kernel/dependencies.ts';
import { makeAddonDirectory } from '../commands/addons/find-addon.ts';
import { makeCommands, type WriteSide } from '../commands/make-commands.ts';
import { completeUnfinished } from '../commands/kernel/unfinished-calls.ts';
import { makeNewId } from '../commands/kernel/new-id.ts';
import { subkeysFor } from '../commands/credentials/token-keys.ts';
import { makeProviderSignIns } from '../federation/provider-sign-ins.ts';
import { makePasswords, usualTurns } from '../commands/people/credentials/passwords.ts';
import { noteEventTypes } from '../projections/follow/checkpoint-event-types.ts';
import { readGrantOwners } from '../projections/access/grant-owners.ts';
import { readEpochGrants, readOwnGrants } from '../projections/access/grants-to-end.ts';
import { readGrantsOfAddon } from '../projections/access/grants-of-addon.ts';
import { readNamesOfOrganizations } from '../projections/organizations/list-organizations.ts';
import { readOperators } from '../projections/people/list-users.ts';
import { makeKnownRecords } from '../projections/records/known-records.ts';
import { makePasskeyUses } from '../projections/working-state/passkey-uses.ts';
import { makeUnfinishedCalls } from '../projections/working-state/unfinished-calls-table.ts';
import { makeSessionUses } from '../projections/working-state/session-uses.ts';
import { makeSignInCounters } from '../projections/working-state/sign-in-counters.ts';
import { makeRevocations, revocationsCheckpoint } from '../reactions/make-revocations.ts';
import { eventTypesByCheckpoint } from './event-types-by-checkpoint.ts';
import { chooseLanguage } from '../http/words/languages.ts';
import { makeReader } from '../http/words/reader.ts';
import { byTimer, makePost } from '../mail/post.ts';
import { makeDeliverLink } from '../mail/deliver-link.ts';
import { readAddonsActivatedFor } from '../projections/organizations/activations.ts';
import type { Stores } from './stores.ts';

export const composeWriteSide = async (stores: Stores) => {
  const { config, logger, store, fence, keys, now, outages, personal, pool, reader, progress } = stores;
  const [key, ...earlier] = subkeysFor(keys, 'federation');
  const federationKeys = [key.key, ...earlier.map((one) => one.key)] as const;
  const providerSignIns = makeProviderSignIns({ pool, keys: federationKeys, now });
  const passwordTurns = usualTurns();
  const common = {
    store,
    fence,
    keys,
    now,
    newId: makeNewId(now),
    lifetimes: lifetimesOf(config.lifetimes),
    unfinished: makeUnfinishedCalls({ pool }),
  };
  const { inBackground } = stores.background;
  const addonGrants = readGrantsOfAddon(reader, { log: store, progress });
  const writeSide: WriteSide = {
    common,
    access: {
      rotationsPerHour: config.rotationsPerHour,
      grantCacheSize: config.grantCacheSize,
      outages,
      knownGrants: readGrantOwners(reader),
      addonGrants,
    },
    accounts: {
      persons: personal.persons,
      operators: readOperators(reader),
      namesOfOrganizations: readNamesOfOrganizations(pool),
    },
    credentials: {
      passwords: await makePasswords(undefined, passwordTurns),
      localSignIn: config.signIn.local,
      passkeyUses: makePasskeyUses({ pool }),
      inBackground,
    },
    signIn: {
      signInCounters: makeSignInCounters({ pool: stores.signInPool }),
      signInsPerMinute: config.rateLimits.signIn,
      sessionUses: makeSessionUses({ pool, inBackground }),
      providerSessions: providerSignIns,
    },
    records: { knownRecords: makeKnownRecords(reader) },
  };
  const addons = makeAddonDirectory(common);
  const epochGrants = readEpochGrants(reader, { log: store, progress });
  const ownGrants = readOwnGrants(reader, { progress });
  const activationReads = {
    ...addonGrants,
    addonsActivatedFor: readAddonsActivatedFor(reader),
  };
  const revocations = makeRevocations({ store, fence, now, epochGrants, ownGrants, activationReads });
  const readTypes = eventTypesByCheckpoint(config.kafka !== null);
  // Loaded only where mails are sent.
  const mailer = config.mail && (await import('../mail/mailer.ts')).makeMailer(config.mail);
  const post = mailer && makePost({ mailer, logger, now, after: byTimer });
  const commands = makeCommands(writeSide, addons);
  return {
    passwordTurns,
    providerSignIns,
    /** @param own the address of this service, where BASE_URL does not say it */
    deliverLink: (baseUrl: string) => makeDeliverLink(post, baseUrl, mailReader, config.brand),
    sendsMails: post !== null,
    mailStatus: () => post?.status() ?? null,
    /** A stop does not wait longer for a mail server that is silent. */
    finishMails: () => withTimeoutOrNull(5_000, post?.finish() ?? Promise.resolve()),
    addons,
    commands,
    /** Completes calls whose process was killed. */
    completeUnfinished: () => completeUnfinished(common.unfinished.takeOld, commands),
    revocations,
    /** The reactions by the names of their checkpoints: for parked events of theirs. */
    reactions: { [revocationsCheckpoint]: revocations } as Readonly<Record<string, typeof revocations>>,
    /** Records which types this version reads, before it appends any: older leaders stop before others (ADR 45). */
    noteEventTypes: () => noteEventTypes(pool, readTypes),
  };
};

/** The language and time zone of a mail. */
export const mailReader = (language: string | null, timeZone: string | null) =>
  makeReader(chooseLanguage({ account: language }), timeZone);
