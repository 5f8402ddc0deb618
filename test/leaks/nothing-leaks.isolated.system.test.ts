import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allowTrouble, expectTrouble } from '../support/trouble/expect-trouble.ts';
import { serverKilled } from '../support/trouble/server-killed.ts';
import { makeSecrets } from './secrets.ts';
import { tellTheStory } from './story.ts';
import { startWholeService, type WholeService } from './whole-service.ts';

/** A page that asks again holds the proofs of its own form; they are of no use outside of its browser. */
const ofForms = (name: string) => name === 'interaction seal' || name === 'csrf';

const leaksIn = async ({
  secrets,
  places,
}: WholeService): Promise<Readonly<Record<string, readonly string[]>>> => {
  const found: Record<string, readonly string[]> = {};
  for (const [place, texts] of Object.entries(await places())) {
    const only = (name: string) => place !== 'error answers' || !ofForms(name);
    found[place] = [...new Set(texts.flatMap((text) => secrets.find(text, only)))].toSorted();
  }
  return found;
};

const eventTypes = [
  'AuthorizationCodeReplayed',
  'CodeExchangeRejected',
  'RefreshTokenReused',
  'AddonDeactivated',
  'AddonSecretAdded',
  'AddonSecretRemoved',
  'RevocationCompleted',
  'SessionStarted',
  'SessionEnded',
  'ProfileRecorded',
  'AdministratorTokenIssued',
  'AdministratorTokenRevoked',
];
const messageTypes = [
  'grantbook.activation.activated.v1',
  'grantbook.activation.deactivated.v1',
  'grantbook.grant.code-issued.v1',
  'grantbook.grant.code-replayed.v1',
  'grantbook.grant.tokens-issued.v1',
  'grantbook.grant.refresh-token-reused.v1',
  'grantbook.addon.registered.v1',
];
const tables = [
  'grants',
  'accounts',
  'addons',
  'activations',
  'fence',
  'profiles',
  'consents',
  'signing_keys',
];

const clean = {
  'log lines': [],
  'process output': [],
  'error answers': [],
  events: [],
  'read models': [],
  messages: [],
  metrics: [],
  readiness: [],
};

describe('after a story with everything that can go wrong', () => {
  allowTrouble(...serverKilled);
  expectTrouble(
    /relation "fence" does not exist/,
    /relation "profiles" does not exist/,
    /the relay cannot publish/,
  );
  let service: WholeService;
  beforeAll(async () => {
    service = await startWholeService();
    await tellTheStory(service);
    await service.http.settle();
  });
  afterAll(() => service.http.close());

  test('each kind of secret was used, each kind of failure met, and every place holds something', async () => {
    expect(service.secrets.names()).toEqual(
      expect.arrayContaining(['password', 'code', 'code_verifier', 'client_secret', 'session cookie']),
    );
    expect(service.secrets.names()).toEqual(
      expect.arrayContaining([
        'access_token',
        'refresh_token',
        'interaction seal',
        'csrf',
        'Basic credentials',
        'id_token',
        'administrator token',
        'private key',
      ]),
    );
    const statuses = new Set(service.answers.map(({ status }) => status));
    expect([...statuses]).toEqual(expect.arrayContaining([200, 303, 400, 401, 403, 404, 405, 415, 500, 503]));
    const places = await service.places();
    const { 'log lines': lines = [], events = [], 'read models': rows = [], messages = [] } = places;
    const levels = [20, 30, 40, 50].filter((level) =>
      lines.some((line) => line.includes(`"level":${level}`)),
    );
    expect(levels).toEqual([20, 30, 40, 50]);
    expect(eventTypes.filter((type) => !events.some((event) => event.includes(`\n${type}\n`)))).toEqual([]);
    expect(tables.filter((table) => !rows.some((row) => row.startsWith(`${table}\n`)))).toEqual([]);
    expect(messageTypes.filter((type) => !messages.some((text) => text.includes(`\n${type}\n`)))).toEqual([]);
    expect(lines.some((line) => line.includes('the relay cannot publish'))).toBe(true);
    expect(lines.some((line) => line.includes('cannot read from Kafka'))).toBe(true);
    expect(places['readiness']?.[0]).toContain('does not work (ECONNREFUSED)');
    expect(places['metrics']?.[0]).toContain('grantbook_kafka_relay_failures_total');
  });

  test('G-05, G-08: no secret is in a log line, an output, an error answer, an event, a read model, a message by Kafka or a metric', async () => {
    expect(await leaksIn(service)).toEqual(clean);
  });

  test('a leak would be found in each place', async () => {
    const { http, logger, secrets } = service;
    const token = secrets.values().find((value) => value.startsWith('mkt_at_')) ?? '';
    const code = secrets.values().find((value) => value.startsWith('mkt_code_')) ?? '';
    logger.trace({ deep: { inside: [`x${token.slice(-40)}`] } }, 'planted');
    process.stderr.write(`planted ${Buffer.from(token.slice(-40)).toString('hex')}\n`);
    service.answers.push({ request: '', status: 400, body: `<p>${token.slice(-40)}</p>`, headers: {} });
    const organization = await http.commands.createOrganization({ name: code.slice(-60) });
    expect(organization.ok).toBe(true);
    const addon = await http.commands.registerAddon({
      name: 'Planted',
      redirectUris: ['https://planted.example/cb'],
      configurationUrl: null,
      allowedScopes: ['profiles:read'],
      confidential: true,
      audiences: [`https://planted.example/${token.slice(-40)}`],
    });
    expect(addon.ok).toBe(true);
    await http.settle();
    const found = await leaksIn(service);
    expect(found).toEqual({
      'log lines': ['access_token'],
      'process output': ['access_token'],
      'error answers': ['access_token'],
      events: ['access_token', 'code'],
      'read models': ['code'],
      messages: ['access_token'],
      metrics: [],
      readiness: [],
    });
  });
});

describe('a piece of a secret', () => {
  const token = `mkt_at_${Buffer.from('\u0001 32 bytes nobody can guess now…').toString('base64url')}`;
  const spelled = (part: (text: string) => string) => `before ${part(token)} after`;

  test.each([
    ['as it is', spelled((text) => text)],
    ['cut out', spelled((text) => text.slice(9, 25))],
    ['in hexadecimal', spelled((text) => Buffer.from(text).toString('hex'))],
    ['in base64 in the middle of more', Buffer.from(`ab${token}c`).toString('base64')],
    ['decoded', spelled((text) => Buffer.from(text.slice(7), 'base64url').toString('latin1'))],
    [
      'decoded, then in hexadecimal',
      spelled((text) => Buffer.from(text.slice(7), 'base64url').toString('hex')),
    ],
  ])('is found %s', (_how, text) => {
    const secrets = makeSecrets();
    secrets.add('access_token', token);
    expect(secrets.find(text)).toEqual(['access_token']);
    expect(secrets.find(token.slice(0, 15))).toEqual([]);
  });
});
