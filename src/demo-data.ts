import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Commands, Outcome } from './commands/commands.ts';
import { scopes } from './domain/scope.ts';

/** What the embedded default brings along, so that the first click shows something. */
export type DemoData = {
  readonly email: string;
  readonly password: string;
  readonly organizationId: string;
  readonly clientId: string;
};

/** Kept in DATA_DIR/demo.json, written before each step that uses it: a crash in between is healed by the next start. */
type Progress = {
  readonly password: string;
  readonly seededAt: number;
  readonly organizationId?: string;
  readonly userId?: string;
  readonly records?: 'done';
  /** The demo add-on's URLs hold the base URL, so another base URL gets another add-on. */
  readonly addons: Readonly<Record<string, string>>;
};

const email = 'ada@example.com';
const minute = 60_000;
const day = 24 * 60 * minute;

/**
 * Seeds one organization with its administrator, people, reservations, access rights and an active add-on.
 * Does nothing that is already there. Only for the embedded default: a production log is never seeded.
 */
export const seedDemoData = async (needs: {
  readonly commands: Commands;
  readonly dataDir: string;
  readonly baseUrl: string;
}): Promise<DemoData> => {
  const file = join(needs.dataDir, 'demo.json');
  let progress = readProgress(file);
  const save = (step: Partial<Progress>) => (progress = writeProgress(file, { ...progress, ...step }));
  const { commands, baseUrl } = needs;

  const organizationId =
    progress.organizationId ??
    done(await commands.createOrganization({ name: 'Harbour House' })).organizationId;
  save({ organizationId });
  const userId = progress.userId ?? (await administrator(commands, organizationId, progress.password));
  save({ userId });
  if (progress.records !== 'done') await seedRecords(commands, organizationId, userId, progress.seededAt);
  save({ records: 'done' });
  const clientId = progress.addons[baseUrl] ?? (await demoAddon(commands, organizationId, baseUrl));
  save({ addons: { ...progress.addons, [baseUrl]: clientId } });
  return { email, password: progress.password, organizationId, clientId };
};

const readProgress = (file: string): Progress =>
  existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Progress)
    : writeProgress(file, {
        password: randomBytes(9).toString('base64url'),
        seededAt: Date.now(),
        addons: {},
      });

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
  password: string,
): Promise<string> => {
  const created = await commands.createUser({
    email,
    name: 'Ada Harbour',
    password,
    administratorOf: [organizationId],
    roles: [],
  });
  if (created.ok) return created.value.userId;
  // An earlier start got this far and was killed before it could note the id.
  return done(await commands.signIn({ email, password })).session.userId;
};

const demoAddon = async (commands: Commands, organizationId: string, baseUrl: string): Promise<string> => {
  const { clientId } = done(
    await commands.registerAddon({
      name: 'Door Opener',
      redirectUris: [`${baseUrl}/demo/callback`, 'http://127.0.0.1/callback'],
      configurationUrl: `${baseUrl}/demo`,
      allowedScopes: scopes,
      confidential: false,
    }),
  );
  done(await commands.activateAddon({ organizationId, addonId: clientId, by: 'operator', sessionId: null }));
  return clientId;
};

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
  commands: Commands,
  organizationId: string,
  userId: string,
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
            email: index === 0 ? email : `${name.split(' ')[0]?.toLowerCase()}@example.com`,
            userId: index === 0 ? userId : null,
            phone: null,
            locale: 'en',
            externalId: `M-${1000 + index}`,
          },
        }),
      ),
    ),
  );
  for (let index = 0; index < 24; index += 1) {
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
