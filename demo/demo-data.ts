import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Commands } from '../src/commands/commands.ts';
import type { Outcome } from '../src/commands/kernel/outcome.ts';
import { allowableScopes } from '../src/domain/access/scope.ts';

/** Sample data of the embedded default, so that the first click shows something. */
export type DemoData = {
  readonly email: string;
  readonly password: string;
  readonly organizationId: string;
  readonly clientId: string;
};

/**
 * Stored in DATA_DIR/demo.json after each step, so that the next start continues where a killed one stopped. A kill
 * between a step and its entry leaves an organization without administrators or an add-on that is not active.
 */
const progressSchema = z.object({
  /** Absent: the default address. */
  email: z.string().optional(),
  password: z.string(),
  seededAt: z.number(),
  organizationId: z.string().optional(),
  userId: z.string().optional(),
  records: z.literal('done').optional(),
  /** The demo add-on by base URL: its URLs contain it, so for another one they are changed. */
  addons: z.record(z.string(), z.string()),
  /**
   * Add-ons whose registration is done. `addons` records the activation, so that a later deactivation by the user
   * survives a restart.
   */
  registered: z.record(z.string(), z.string()).optional(),
  /** The confidential add-ons of `npm run demo`, by base URL. */
  receivers: z.record(z.string(), z.object({ clientId: z.string(), clientSecret: z.string() })).optional(),
});
type Progress = Readonly<z.output<typeof progressSchema>>;

const usualEmail = 'ada@example.com';
const minute = 60_000;
const day = 24 * 60 * minute;

export type DemoReceiver = { readonly clientId: string; readonly clientSecret: string };

type Needs = {
  readonly commands: Commands;
  readonly dataDir: string;
  readonly baseUrl: string;
  /** Ends the seeding between two commands; the next start continues. */
  readonly signal?: AbortSignal;
};

/**
 * Seeds one organization with its administrator, people, reservations, access rights and an active add-on. Skips
 * existing data; if its file was deleted or damaged, it seeds new data in addition to the old. Only for the embedded
 * default: a production log is never seeded. Rejects with the reason of `signal` after the command that is under way.
 */
export const seedDemoData = async (dependencies: Needs): Promise<DemoData> => {
  const file = join(dependencies.dataDir, 'demo.json');
  let progress = readProgress(file);
  const { commands, baseUrl, signal } = dependencies;
  const save = (step: Partial<Progress>) => {
    progress = writeProgress(file, { ...progress, ...step });
    signal?.throwIfAborted();
  };

  const organizationId =
    progress.organizationId ??
    done(await commands.createOrganization({ name: 'Harbour House' })).organizationId;
  save({ organizationId });
  if (!progress.userId) save(await administrator(commands, organizationId, progress));
  const { email = usualEmail, userId = '', password } = progress;
  if (progress.records !== 'done')
    await seedRecords(dependencies, organizationId, { userId, email }, progress.seededAt);
  save({ records: 'done' });
  const there =
    progress.addons[baseUrl] ?? progress.registered?.[baseUrl] ?? Object.values(progress.addons)[0];
  const clientId = there ?? (await registerDoorOpener(commands, baseUrl));
  if (there !== undefined && !progress.addons[baseUrl] && Object.keys(progress.addons).length > 0) {
    await moveDoorOpener(commands, there, baseUrl);
    save({ addons: { ...progress.addons, [baseUrl]: there } });
  }
  if (!progress.addons[baseUrl]) {
    save({ registered: { ...progress.registered, [baseUrl]: clientId } });
    done(
      await commands.activateAddon({ organizationId, addonId: clientId, by: 'break-glass', sessionId: null }),
    );
    save({ addons: { ...progress.addons, [baseUrl]: clientId } });
  }
  return { email, password, organizationId, clientId };
};

/** The add-on that is notified of changes of its access, with its secret: only for `npm run demo`. */
export const seedReceiver = async ({ commands, dataDir, baseUrl }: Needs): Promise<DemoReceiver> => {
  const file = join(dataDir, 'demo.json');
  const progress = readProgress(file);
  const found = progress.receivers?.[baseUrl] ?? Object.values(progress.receivers ?? {})[0];
  if (found) {
    await commands.updateAddon({ addonId: found.clientId, configurationUrl: `${baseUrl}/demo` });
    return found;
  }
  const { clientId, clientSecret } = done(
    await commands.registerAddon({
      name: 'Alarm Panel',
      redirectUris: ['http://127.0.0.1/callback'],
      configurationUrl: `${baseUrl}/demo`,
      allowedScopes: allowableScopes,
      confidential: true,
    }),
  );
  const receiver = { clientId, clientSecret: clientSecret ?? '' };
  writeProgress(file, { ...progress, receivers: { ...progress.receivers, [baseUrl]: receiver } });
  return receiver;
};

const readProgress = (file: string): Progress =>
  progressIn(file) ??
  writeProgress(file, { password: randomBytes(9).toString('base64url'), seededAt: Date.now(), addons: {} });

/** A damaged file is renamed, not deleted: it may contain a password that somebody needs. */
const progressIn = (file: string): Progress | null => {
  if (!existsSync(file)) return null;
  try {
    return progressSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error;
    renameSync(file, `${file}.damaged`);
    return null;
  }
};

const writeProgress = (file: string, progress: Progress): Progress => {
  writeFileSync(`${file}.new`, `${JSON.stringify(progress, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return progress;
};

const done = <T>(outcome: Outcome<T, string>): T => {
  if (outcome.ok) return outcome.value;
  throw new Error(`the demo data could not be seeded: ${outcome.refusal}`);
};

const administrator = async (
  commands: Commands,
  organizationId: string,
  { email = usualEmail, password }: Progress,
): Promise<{ readonly email: string; readonly userId: string }> => {
  const ada = { name: 'Ada Harbour', password, administratorOf: [organizationId], roles: [] };
  const created = await commands.createUser({ ...ada, email });
  if (created.ok) return { email, userId: created.value.userId };
  // An earlier start created the account, but was killed before it could store the id.
  const signedIn = await commands.signIn({ email, password, from: null });
  if (signedIn.ok) return { email, userId: signedIn.value.session.userId };
  // The file with that account's password is gone.
  const another = `ada.${organizationId.slice(-8).toLowerCase()}@example.com`;
  return { email: another, userId: done(await commands.createUser({ ...ada, email: another })).userId };
};

const registerDoorOpener = async (commands: Commands, baseUrl: string): Promise<string> => {
  const { clientId } = done(
    await commands.registerAddon({
      name: 'Door Opener',
      redirectUris: [`${baseUrl}/demo/callback`, 'http://127.0.0.1/callback'],
      configurationUrl: `${baseUrl}/demo`,
      allowedScopes: allowableScopes,
      confidential: false,
    }),
  );
  return clientId;
};

/** On another port it is the same add-on. If somebody retired it, it stays as it is. */
const moveDoorOpener = (commands: Commands, addonId: string, baseUrl: string) =>
  commands.updateAddon({
    addonId,
    addRedirectUris: [`${baseUrl}/demo/callback`],
    configurationUrl: `${baseUrl}/demo`,
  });

const names = ['Ada Harbour', 'Bo Lindqvist', 'Chidi Okafor', 'Dana Weiss', 'Elif Kaya', 'Farid Haddad'];
const morePeople = ['Grete Holm', 'Hugo Martín', 'Ines Rocha', 'Jonas Vik', 'Keiko Mori', 'Liam Byrne'];
const doors = [
  'Front door',
  'Garage',
  'Meeting room Kiel',
  'Meeting room Oslo',
  'Bike cellar',
  'Roof terrace',
];

const seedRecords = async (
  { commands, signal }: Needs,
  organizationId: string,
  ada: { readonly userId: string; readonly email: string },
  now: number,
): Promise<void> => {
  const people = [...names, ...morePeople];
  const time = (offset: number) => new Date(Math.floor(now / minute) * minute + offset).toISOString();
  const profileId = (index: number) => `person_${index + 1}`;
  await Promise.all(
    people.map(async (name, index) =>
      done(
        await commands.recordProfile({
          organizationId,
          id: profileId(index),
          version: 1,
          record: {
            name,
            email: index === 0 ? ada.email : `${name.split(' ')[0]?.toLowerCase()}@example.com`,
            userId: index === 0 ? ada.userId : null,
            phone: null,
            locale: 'en',
            externalId: `M-${1000 + index}`,
          },
        }),
      ),
    ),
  );
  for (let index = 0; index < 24; index += 1) {
    signal?.throwIfAborted();
    done(
      await commands.recordReservation({
        organizationId,
        id: `reservation_${index + 1}`,
        version: 1,
        record: {
          profileId: profileId(index % people.length),
          resource: doors[2 + (index % 2)] ?? 'Meeting room',
          startsAt: time(index * 90 * minute),
          endsAt: time(index * 90 * minute + 60 * minute),
          status: index % 5 === 4 ? 'cancelled' : 'confirmed',
          title: 'Team meeting',
          note: null,
        },
      }),
    );
  }
  for (let index = 0; index < 60; index += 1) {
    signal?.throwIfAborted();
    done(
      await commands.recordAccessRight({
        organizationId,
        id: `right_${index + 1}`,
        version: 1,
        record: {
          profileId: profileId(index % people.length),
          opens: doors[Math.floor(index / people.length) % doors.length] ?? 'Front door',
          validFrom: time(-30 * day),
          validUntil: index % 3 === 0 ? null : time(180 * day),
          status: index % 11 === 10 ? 'suspended' : 'active',
          reservationId: null,
        },
      }),
    );
  }
};
