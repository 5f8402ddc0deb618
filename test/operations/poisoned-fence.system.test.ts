import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { activationStream, grantStream, projectionStream } from '../../src/domain/streams.ts';
import { runBeside } from '../cli/live-service.ts';
import { migratedDatabase, type TestDatabase } from '../support/servers/databases.ts';
import { startTestNode, type TestNode } from '../support/servers/node.ts';
import { listWith } from '../support/scenes/http-scene.ts';
import { makeAddon, makeCast, run, settingsFor, type Running, type Stores } from './running.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { allowTrouble } from '../support/trouble/expect-trouble.ts';

/** Somebody who may write to the event store appends nonsense, while there are two instances that serve everybody else meanwhile. */
let node: TestNode;
let database: TestDatabase;
let stores: Stores;
let foreign: EventStoreDBClient;
let instances: Running[];
const dataDir = temporaryFolder();

type Connected = Awaited<ReturnType<typeof makeAddon>>;
let other: Connected;

const first = (): Running => instances[0] as Running;
const start = async (): Promise<Running> => {
  const instance = await run(stores);
  await instance.workers.ready;
  return instance;
};
const connect = async (): Promise<Connected> => makeAddon(first().core, await makeCast(first().core));

allowTrouble(/\(grantbook parked list\)|nothing can be decided on/);

describe('with two instances', () => {
  beforeAll(async () => {
    [node, database] = await Promise.all([startTestNode(), migratedDatabase()]);
    stores = { databaseUrl: database.url, eventStoreUrl: node.url };
    foreign = EventStoreDBClient.connectionString(node.url);
    instances = [await start(), await start()];
    other = await connect();
  });
  afterAll(async () => {
    await Promise.all(instances.map((instance) => instance.stop()));
    await foreign.dispose();
    await database.drop();
    await node.close();
  });

  const forge = async (stream: string, type: string, data: object, version = 1): Promise<string> => {
    const event = jsonEvent({ type, data: data as never, metadata: { v: version } });
    await foreign.appendToStream(stream, event);
    return event.id;
  };
  const parked = (...args: readonly string[]) =>
    runBeside({ PATH: process.env['PATH'], DATA_DIR: dataDir, ...settingsFor(stores) }, [...args, '--json']);

  /** What a list answers on each instance: its status, and of a problem the end of its type. */
  const answers = (token: string) =>
    Promise.all(
      instances.map(async ({ app }) => {
        const answer = await listWith({ app } as never, '/profiles', token);
        const { type } = answer.json<{ type?: string }>();
        return type === undefined ? answer.statusCode : `${answer.statusCode} ${type.split('/').at(-1)}`;
      }),
    );
  const everywhere = (answer: number | string) => instances.map(() => answer);
  const refresh = async ({ core }: Running, { addonId, refreshToken }: Connected) =>
    core.commands.refreshToken({ addonId, refreshToken, scopes: null, resources: null });
  const ready = async ({ app }: Running) => {
    const answer = await app.inject({ url: '/health/ready' });
    return { code: answer.statusCode, ...answer.json<{ status: string; checks: Record<string, string> }>() };
  };

  /** Asks for a list of somebody else, on all instances, for as long as the work takes. */
  const whileOthersGoOn = async <T>(work: () => Promise<T>): Promise<T> => {
    let done = false;
    const refused: unknown[] = [];
    const asking = (async () => {
      while (!done) refused.push(...(await answers(other.token)).filter((answer) => answer !== 200));
    })();
    try {
      return await work();
    } finally {
      done = true;
      await asking;
      expect(refused).toEqual([]);
    }
  };

  test("OP-02: a nonsense AddonDeactivated closes its activation on every instance, ends nobody else's tokens, and is skipped permanently", () =>
    whileOthersGoOn(async () => {
      const poisoned = await connect();
      const { organizationId, addonId, token } = poisoned;
      expect(await answers(token)).toEqual(everywhere(200));
      const eventId = await forge(activationStream(organizationId, addonId), 'AddonDeactivated', {
        nonsense: 1,
      });
      await expect.poll(() => answers(token)).toEqual(everywhere('401 access-on-hold'));

      for (const instance of instances) {
        expect(await refresh(instance, poisoned)).toMatchObject({ ok: false, refusal: 'on-hold' });
        expect(await ready(instance)).toMatchObject({
          code: 200,
          status: 'degraded',
          checks: { parked: expect.stringContaining('grantbook parked list') as string },
        });
      }
      const where = ['--organization', organizationId, '--addon', addonId];
      const deactivated = await parked('activation', 'deactivate', ...where);
      expect(deactivated).toMatchObject({ exitCode: 1, json: { error: { code: 'on-hold' } } });
      expect(deactivated.stdout).toContain(`grantbook parked skip ${eventId} --reason`);

      // One that starts with it in the log trusts its fence, and knows what is closed.
      instances.push(await start());
      expect(await answers(token)).toEqual(everywhere('401 access-on-hold'));

      const { json } = await parked('parked', 'list');
      expect(json['keys']).toContainEqual(
        expect.objectContaining({
          projection: 'activation-fence',
          stream: activationStream(organizationId, addonId),
          event: expect.objectContaining({ id: eventId, type: 'AddonDeactivated' }) as object,
          closes: `activation:${organizationId}.${addonId}`,
        }),
      );
      const skipped = await parked('parked', 'skip', eventId, '--reason', 'appended by a script of ours');
      expect(skipped).toMatchObject({ exitCode: 0, json: { skipped: eventId } });
      expect((await parked('parked', 'list')).json).toEqual({ keys: [] });
      for (const name of [
        'activation-fence',
        'activations',
        'history',
        'revoke-on-deactivation',
        'signals',
        'commands',
      ]) {
        const { events } = await first().core.store.read(projectionStream(name));
        expect(events.at(-1)).toMatchObject({
          event: { type: 'ParkedEventSkipped', data: { eventId } },
          metadata: { actor: 'break-glass', reason: 'appended by a script of ours' },
        });
      }

      await instances.pop()?.stop();
      instances.push(await start());
      await expect.poll(() => answers(token)).toEqual(everywhere(200));
      for (const instance of instances) {
        expect(await refresh(instance, poisoned)).toMatchObject({ ok: true });
        expect(await ready(instance)).toMatchObject({ checks: { parked: 'nothing' } });
      }
      const again = await parked('activation', 'deactivate', ...where);
      expect(again).toMatchObject({ exitCode: 0, json: { epoch: 1 } });
      expect(await answers(token)).toEqual(everywhere('401 addon-deactivated'));
    }));

  describe('OP-02: what this version does not know', () => {
    test('of a newer version, on a fence subject, closes what its stream is about', () =>
      whileOthersGoOn(async () => {
        const { token, ...grant } = await connect();
        const grantId = first().core.commands.verifyAccessToken(token)?.grantId ?? '';
        const eventId = await forge(grantStream(grantId), 'GrantRevoked', { reason: 'new-in-3', at: 1 }, 99);
        await expect.poll(() => answers(token)).toEqual(everywhere('401 access-on-hold'));
        expect(await refresh(first(), { token, ...grant })).toMatchObject({
          ok: false,
          refusal: 'on-hold',
        });
        const introspected = first().core.commands.introspectToken({
          addonId: grant.addonId,
          token,
          audiences: [],
        });
        expect(await introspected).toBe(null);
        expect(await parked('parked', 'skip', eventId)).toMatchObject({ exitCode: 0 });
        await expect.poll(() => answers(token)).toEqual(everywhere(200));
        expect(await refresh(first(), { token, ...grant })).toMatchObject({ ok: true });
      }));

    test('of a type that it never heard of, nothing is decided on the stream, and the operator can look at it and pass it over', async () => {
      const { organizationId, addonId, token } = await connect();
      const eventId = await forge(activationStream(organizationId, addonId), 'AddonPaused', {});
      const by = { organizationId, addonId, by: 'break-glass' };
      await expect(first().core.commands.deactivateAddon(by)).rejects.toThrow('AddonPaused');
      await expect
        .poll(async () => (await parked('parked', 'list')).json['keys'])
        .toEqual([
          expect.objectContaining({
            projection: 'commands',
            error: expect.stringContaining('unknown') as string,
          }),
        ]);
      expect(await answers(token)).toEqual(everywhere(200));
      expect(await parked('parked', 'retry', '--all')).toMatchObject({
        exitCode: 1,
        json: { keys: [{ parked: true }] },
      });
      expect(await parked('parked', 'skip', eventId, '--reason', 'not ours')).toMatchObject({ exitCode: 0 });
      expect(await first().core.commands.deactivateAddon(by)).toMatchObject({ ok: true });
    });
  });

  test('OP-02: the reaction parks it, too: the grants of other activations are ended as ever', async () => {
    const [poisoned, usual] = [await connect(), await connect()];
    const stream = activationStream(poisoned.organizationId, poisoned.addonId);
    const eventId = await forge(stream, 'AddonDeactivated', { nonsense: 1 });
    const { organizationId, addonId } = usual;
    await first().core.commands.deactivateAddon({ organizationId, addonId, by: 'break-glass' });
    await expect
      .poll(async () => (await first().core.commands.showActivation(organizationId, addonId)).history)
      .toEqual([expect.objectContaining({ revokedGrants: 1 })]);
    expect(await parked('parked', 'skip', eventId)).toMatchObject({ exitCode: 0 });
    expect((await parked('parked', 'list')).json).toEqual({ keys: [] });
  });
});
