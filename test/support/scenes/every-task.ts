import { randomUUID } from 'node:crypto';
import { entities } from '../../../src/tasks/entities.ts';
import { fieldsOf } from '../../../src/tasks/fields.ts';
import { commandOf, isMaking, tasksOf } from '../../../src/tasks/places.ts';
import type { Entity, Json, Task } from '../../../src/tasks/task.ts';
import type { Commands } from '../../../src/commands/commands.ts';
import { categoryOf } from '../../../src/domain/kernel/stream-name.ts';
import { makeAddon } from '../../operations/running.ts';
import { valueOf } from '../outcomes.ts';
import { startWithCommandLines } from './command-lines.ts';
import { password } from './http-scene.ts';
import { createPollStream } from './told-addons.ts';
import { profileOf } from './profile.ts';

/** What a task is done with: the id of the thing, and its fields. */
export type Scene = { readonly id: string; readonly input: Json };

export const every = entities.flatMap((entity) =>
  tasksOf(entity).map((task) => ({ entity, task, name: `${entity.name} ${task.name}` })),
);

export const reason = 'because of the test';

/** The words of the command that does it. */
export const wordsOf = (entity: Entity, task: Task, { id, input }: Scene): readonly string[] => {
  const [idOption] = task.command?.idOptions ?? [];
  const options = Object.entries(input).flatMap(([name, value]) => {
    const field = fieldsOf(task.input).find((one) => one.name === name);
    const option = `--${name.replaceAll('_', '-')}`;
    if (field?.kind === 'secret' || name === task.argument) return [];
    return value === true ? [option] : [option, ...[value].flat().map(String)];
  });
  return [
    ...commandOf(entity, task).split(' '),
    ...(isMaking(entity, task) ? [] : idOption === undefined ? [id] : [`--${idOption}`, id]),
    ...(task.argument === undefined ? [] : [String(input[task.argument])]),
    ...options,
    ...(task.isFinal || task.isConfirmed ? ['--yes'] : []),
    ...(task.isRead ? [] : ['--reason', reason]),
  ];
};

/** What the command reads from standard input. */
export const stdinOf = ({ input }: Scene): string =>
  'password' in input ? `${String(input['password'])}\n` : '';

/**
 * What each task can be done with, made for it, on the service that has these commands. Null: it needs what only a browser or
 * a provider has.
 */
export const makeScenes = (commands: Commands, operator: string) => {
  let made = 0;
  const emailOf = () => `user-${(made += 1)}@example.com`;
  const newUser = async (roles: readonly ('operator' | 'auditor')[] = [], administratorOf: string[] = []) =>
    valueOf(await commands.createUser({ email: emailOf(), name: 'Ada', password, administratorOf, roles }))
      .userId;
  const newOrganization = async () =>
    valueOf(await commands.createOrganization({ name: 'Quay' })).organizationId;
  const newAddon = async () =>
    valueOf(
      await commands.registerAddon({
        name: 'Doors',
        redirectUris: ['https://addon.example/cb'],
        configurationUrl: 'https://addon.example/',
        allowedScopes: ['profiles:read', 'reservations:read'],
        confidential: true,
      }),
    ).clientId;

  const about =
    (make: () => Promise<string>, input: (id: string) => Json | Promise<Json> = () => ({})) =>
    async (): Promise<Scene> => {
      const id = await make();
      return { id, input: await input(id) };
    };
  const making = (input: () => Json | Promise<Json>) => async (): Promise<Scene> => ({
    id: '',
    input: await input(),
  });
  const organization = (input?: (id: string) => Json | Promise<Json>) => about(newOrganization, input);
  const addon = (input?: (id: string) => Json | Promise<Json>) => about(newAddon, input);
  const user = (input?: (id: string) => Json | Promise<Json>) => about(() => newUser(), input);
  const stream = (input?: (id: string) => Json | Promise<Json>) =>
    about(async () => createPollStream({ commands }, await newAddon()), input);
  const active = async (organizationId: string) => {
    const addonId = await newAddon();
    const who = { by: operator, sessionId: null, asOperator: true };
    valueOf(await commands.activateAddon({ organizationId, addonId, ...who }));
    return { addon: addonId };
  };
  const linked = async (userId: string) => {
    const issuer = 'https://id.example/realms/platform';
    valueOf(await commands.linkIdentity({ userId, provider: 'keycloak', issuer, subject: randomUUID() }));
    return { provider: 'keycloak' };
  };

  const newPublisher = async () => valueOf(await commands.createPublisher({ name: 'Doors Ltd' })).publisherId;
  const proposed = async (addonId: string) => {
    const [publisherId, userId] = [await newPublisher(), await newUser()];
    valueOf(await commands.addPublisherMember({ publisherId, userId }));
    valueOf(await commands.updateAddon({ addonId, publisherId }));
    const request = { addonId, member: { userId, byClaim: true }, isFree: false };
    const website = 'https://doors.example/';
    const { changeId, revision } = valueOf(await commands.proposeAddonChange({ ...request, website })).change;
    return { change: changeId, revision };
  };
  const proposedAlone = async (addonId: string) => ({ change: (await proposed(addonId)).change });

  const scenes: Readonly<Record<string, (() => Promise<Scene>) | null>> = {
    'organization create': making(() => ({ name: 'Quay' })),
    'organization rename': organization(() => ({ name: 'Wharf' })),
    'organization set-external-id': organization(() => ({ external_id: `ext-${(made += 1)}` })),
    'organization show-to-publishers': organization(() => ({ shown_to_publishers: 'false' })),
    'organization add-administrator': organization(async () => ({ user: await newUser() })),
    'organization remove-administrator': organization(async (id) => {
      const [first, second] = [await newUser([], [id]), await newUser([], [id])];
      if (first === second) throw new Error('one user twice');
      return { user: second };
    }),
    'organization add-auditor': organization(async () => ({ user: await newUser(['auditor']) })),
    'organization remove-auditor': organization(async (organizationId) => {
      const userId = await newUser(['auditor']);
      valueOf(await commands.addAuditor({ organizationId, userId }));
      return { user: userId };
    }),
    'organization activate-addon': organization(async () => ({ addon: await newAddon() })),
    'organization deactivate-addon': organization(active),
    'organization show-activation': organization(active),
    'organization erase-profile': organization(async (organizationId) => {
      const record = profileOf('Ada', { email: 'a@example.com' });
      await commands.recordProfile({ organizationId, id: 'P1', version: 1, record });
      return { id: 'P1' };
    }),
    'organization close': organization(async (id) => {
      await active(id);
      return {};
    }),
    'user create': making(() => ({ email: emailOf(), name: 'Ada', password, operator: true })),
    'user invite': making(() => ({ email: emailOf(), name: 'Ada' })),
    'user rename': user(() => ({ name: 'Ada Lovelace' })),
    'user set-email': user(() => ({ email: emailOf() })),
    'user set-password': user(() => ({ password: 'another horse battery' })),
    'user reset-password': user(),
    'user grant-role': user(() => ({ role: 'auditor' })),
    'user remove-role': about(
      () => newUser(['auditor']),
      () => ({ role: 'auditor' }),
    ),
    'user link': null,
    'user unlink': user(linked),
    'user remove-passkey': null,
    'user end-sessions': user(),
    'user disable': user(),
    'user enable': user(async (userId) => {
      valueOf(await commands.disableUser({ userId, force: false }));
      return {};
    }),
    'user unlock': user(),
    'user create-token': about(
      () => newUser(['auditor']),
      () => ({ name: 'exports', days: 7 }),
    ),
    'user revoke-token': about(
      () => newUser(['auditor']),
      async (userId) => {
        const request = { userId, organizationId: null, name: 'exports', days: 7, by: operator };
        return { token: valueOf(await commands.issueAdministratorToken(request)).tokenId };
      },
    ),
    'user erase': user(),
    'addon register': making(() => ({
      name: `Gate ${(made += 1)}`,
      redirect_uri: ['https://addon.example/cb', 'https://addon.example/cb2'],
      scope: ['profiles:read'],
      confidential: true,
    })),
    'addon update': addon(() => ({
      publisher: 'Doors Ltd',
      verified: 'true',
      add_redirect_uri: ['https://addon.example/cb2'],
      scope: ['profiles:read'],
      apply_to_grants: true,
    })),
    'addon add-secret': addon(),
    'addon remove-secret': addon(async (id) => {
      const { secretId } = valueOf(await commands.addAddonSecret(id));
      return { secret: secretId };
    }),
    'addon approve-change': addon(proposed),
    'addon refuse-change': addon(proposedAlone),
    'addon show-change': addon(proposedAlone),
    'addon suspend': addon(),
    'addon resume': addon(async (id) => {
      valueOf(await commands.suspendAddon(id));
      return {};
    }),
    'addon retire': addon(),
    'publisher create': making(() => ({ name: 'Doors Ltd' })),
    'publisher rename': about(
      () => newPublisher(),
      () => ({ name: 'Gates' }),
    ),
    'grant revoke': about(async () => {
      const organizationId = await newOrganization();
      const userId = await newUser([], [organizationId]);
      const issued = await makeAddon({ commands }, { organizationId, userId });
      return commands.verifyAccessToken(issued.token)?.grantId ?? '';
    }),
    'signals create': making(async () => ({ addon: await newAddon() })),
    'signals pause': stream(),
    'signals resume': stream(async (streamId) => {
      valueOf(
        await commands.setSignalStreamStatus({
          streamId,
          caller: 'operator',
          status: 'paused',
          reason: null,
          by: 'transmitter',
        }),
      );
      return {};
    }),
    'signals test': stream(),
    'signals replay': stream(() => ({ after: '0/0' })),
    'signals delete': stream(),
    'expired-messages confirm': about(async () => {
      const place = { topic: 'host.profiles', partition: 0 };
      const from = BigInt((made += 10));
      await commands.noteExpired({ records: 'profiles', ...place, from, until: from + 5n });
      return 'profiles';
    }),
  };

  return scenes;
};

/** A service in which every task can be done. It ends after the tests of the file. */
export const startEveryTask = async () => {
  const service = await startWithCommandLines();
  const email = 'olive@example.com';
  const operator = valueOf(
    await service.commands.createUser({
      email,
      name: 'Olive',
      password,
      administratorOf: [],
      roles: ['operator'],
    }),
  ).userId;
  const { token } = valueOf(
    await service.commands.issueAdministratorToken({
      userId: operator,
      organizationId: null,
      name: 'everything',
      days: 1,
      by: operator,
    }),
  );

  const scenes = makeScenes(service.commands, operator);

  /** Everybody sees what the task is done to. */
  const sceneOf = async (name: string): Promise<Scene> => {
    const scene = await scenes[name]?.();
    if (!scene) throw new Error(`no scene for ${name}`);
    await service.settle();
    return scene;
  };

  /** Without what differs from run to run. */
  const plain = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value)
        .replaceAll(operator, 'the operator')
        .replaceAll(/[0-7][0-9A-HJKMNP-TV-Z]{25}/g, 'ID')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
        .replaceAll(/user-\d+@/g, 'user@')
        .replaceAll(/ext-\d+/g, 'ext')
        .replaceAll(/\b\d+\/\d+\b/g, 'POSITION')
        .replaceAll(/mkt_(?:cs|admin|link)_[\w.-]+/g, 'SECRET')
        .replaceAll(/"(made_with|tokenId)":(?:null|"ID")/g, '"$1":"TOKEN, OR NONE ON A PAGE"')
        .replaceAll(/\b[0-9a-f]{32}\b/g, 'REVISION')
        .replaceAll(/(waiting\\?":? *)\d+/g, '$10')
        .replaceAll(/(oldest_waiting_at\\?":) *(?:null|\\?"TIME\\?")/g, '$1null')
        .replaceAll(/Gate \d+/g, 'Gate')
        .replaceAll(/"(?:at|createdAt|expiresAt|until)":\d+/g, '"at":"TIME"')
        .replaceAll(/"(salt|digest|passwordHash|secretDigest|hash)":"[^"]*"/g, '"$1":"RANDOM"'),
    );

  /** The events that were appended, in no order, with who did it and why. */
  const eventsSince = (count: number) =>
    service
      .all()
      .slice(count)
      .map(({ stream, event, metadata: { actor, reason: why } }) =>
        JSON.stringify(plain([categoryOf(stream), event.type, event.data, actor, why])),
      )
      .toSorted();
  return { service, operator, email, token, scenes, sceneOf, plain, eventsSince };
};
