import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import {
  claimsReaders,
  mintAccessToken,
  openAccessToken,
} from '../../src/commands/credentials/access-token.ts';
import { mintCredential } from '../../src/commands/credentials/credentials.ts';
import {
  sessionCookie,
  type TicketLayout,
  ticketLayouts,
  verifySessionCookie,
} from '../../src/commands/credentials/session-cookie.ts';
import { macFor, parseTokenKeys } from '../../src/commands/credentials/token-keys.ts';
import type { DomainEvent } from '../../src/domain/events.ts';
import { eventSchemas, makeCodec } from '../../src/eventstore/codec/codec.ts';
import { migrationsDir } from '../../src/process/package-root.ts';
import { migrate } from '../../src/projections/database/migrate.ts';
import { compareMigrations } from '../../src/projections/database/migration-records.ts';
import { fixtures, stored } from '../eventstore/codec/fixtures.ts';
import { freshDatabase } from '../support/servers/databases.ts';

// What a version 0.9 would have stored, had there been one: each format can have another version, and the one before is read.

const keys = parseTokenKeys(`k1:${Buffer.alloc(32, 7).toString('base64url')}`);
const ulid = (last: string) => `01JZZZZZZZZZZZZZZZZZZZZZZ${last}`;

describe('OP-11: what an invented version 0.9 stored is read, and what is written is of this version', () => {
  test('an event: its data are brought to the present version step by step, and its schema is the present one', () => {
    const fixture = fixtures.find(({ type }) => type === 'AddonSuspended');
    const schema = z.strictObject({ at: z.int(), why: z.enum(['by-operator', 'unknown']) });
    const present = makeCodec({
      schemas: { ...eventSchemas, AddonSuspended: schema },
      upcasts: { AddonSuspended: [(data) => ({ ...(data as object), why: 'unknown' })] },
    });
    if (!fixture) throw new Error('no event to begin with');
    expect(present.decode(stored(fixture)).event.data).toEqual({ ...fixture.data, why: 'unknown' });
    const suspended = {
      type: 'AddonSuspended',
      data: { at: 1, why: 'by-operator' },
    } as unknown as DomainEvent;
    const { data, metadata } = present.encode(suspended);
    expect([data, metadata]).toEqual([{ at: 1, why: 'by-operator' }, { version: 2 }]);
    expect(present.decode(stored(fixture, { data, metadata })).event).toEqual(suspended);
  });

  test('an access token: by the layout that it names; one that nobody knows is refused like a forged one', () => {
    const claims = {
      grantId: ulid('G'),
      rotation: 0,
      addonId: ulid('A'),
      userId: ulid('V'),
      subject: { kind: 'organization', organizationId: ulid('R'), epoch: 1 },
      scopes: ['profiles:read'],
      expiresAt: 60_000,
      audience: { ownApi: true, among: 1 },
    } as const;
    const origin = { keyId: 'k1', salt: 'salt' };
    const older = mintCredential(keys, 'access', origin, claims, (writer) => {
      writer.byte(9); // 0.9 knew no users' own records: the subject is an organization
      writer.id(claims.addonId);
      writer.id(claims.userId);
      writer.id(claims.subject.organizationId);
    });
    const readers = {
      ...claimsReaders,
      9: (reader: Parameters<(typeof claimsReaders)[number]>[0]) => ({
        addonId: reader.id(),
        userId: reader.id(),
        subject: { kind: 'organization', organizationId: reader.id(), epoch: 1 } as const,
        scopes: ['profiles:read'] as const,
        audience: { ownApi: true, among: 1 },
      }),
    };
    expect(openAccessToken(keys, older, readers)).toEqual(claims);
    expect(openAccessToken(keys, older)).toBeNull();
    const present = mintAccessToken(keys, origin, claims);
    for (const known of [readers, claimsReaders])
      expect(openAccessToken(keys, present, known)).toEqual(claims);
  });

  test('the cookie of a session: by its spelling, which its MAC covers', () => {
    const ticket = { sessionId: ulid('S'), keyId: 'k1', salt: 'abcdefghijklmnopqrstuv' };
    const older: TicketLayout = {
      grammar: /^(?<keyId>\w{1,16})~(?<sessionId>[0-9A-Z]{26})~(?<salt>[\w-]{22})\.[\w-]{43}$/,
      spell: ({ sessionId, keyId, salt }) => `${keyId}~${sessionId}~${salt}`,
    };
    const spelled = older.spell(ticket);
    const mac = macFor(keys, 'k1', 'session', spelled)?.toString('base64url') ?? '';
    const layouts = [...ticketLayouts, older];
    expect(verifySessionCookie(keys, `${spelled}.${mac}`, layouts)).toEqual(ticket);
    expect(verifySessionCookie(keys, `${spelled}.${mac}`)).toBeNull();
    expect(verifySessionCookie(keys, `${spelled}.${mac.replace(/^./, '_')}`, layouts)).toBeNull();
    expect(verifySessionCookie(keys, sessionCookie(keys, ticket), layouts)).toEqual(ticket);
  });

  test('a database one migration back gets what it lacks, keeps its rows, and 0.9 goes on with it', async () => {
    const database = await freshDatabase();
    const client = new Client({ connectionString: database.url });
    const folders: string[] = [];
    onTestFinished(async () => {
      await client.end();
      await database.drop();
      for (const folder of folders) await rm(folder, { recursive: true });
    });
    const chainOf = async (more: Readonly<Record<string, string>>) => {
      const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
      folders.push(folder);
      for (const name of await readdir(migrationsDir))
        await writeFile(join(folder, name), await readFile(join(migrationsDir, name)));
      for (const [name, sql] of Object.entries(more)) await writeFile(join(folder, name), sql);
      return folder;
    };
    const before = await chainOf({});
    const present = await chainOf({
      '0900-colours.sql': 'alter table addons add column colour text;',
      '0901-no-words.needs-0900.sql': 'alter table addons drop column words;',
    });
    await client.connect();
    const namesIn = async () => (await client.query('select name, colour from addons')).rows;
    await migrate(database.url, before);
    await client.query(
      `insert into addons (addon_id, name, words, redirect_uris, allowed_scopes, confidential, registered_at)
       values ('A1', 'Door Keys', '{}', '[]', '[]', true, 1)`,
    );
    expect(await migrate(database.url, present)).toEqual(['0900-colours']);
    expect(await namesIn()).toEqual([{ name: 'Door Keys', colour: null }]);
    expect(await migrate(database.url, before), 'the way back').toEqual([]);
    expect((await compareMigrations(client, present)).unfinished).toEqual(['0901-no-words.needs-0900.sql']);
    expect(await migrate(database.url, present, { finish: true })).toEqual(['0901-no-words.needs-0900']);
    await expect(migrate(database.url, before)).rejects.toThrow(/too old for the database/);
    expect(await namesIn()).toEqual([{ name: 'Door Keys', colour: null }]);
  });
});
