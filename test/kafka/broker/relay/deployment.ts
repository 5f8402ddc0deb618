import { composeService, type ServiceCore } from '../../../../src/compose/service.ts';
import { startWorkers, type Workers } from '../../../../src/compose/workers.ts';
import { readConfig } from '../../../../src/config/config.ts';
import type { AllowedScope } from '../../../../src/domain/access/scope.ts';
import { challenge, verifier } from '../../../support/scenes/grants.ts';
import { valueOf } from '../../../support/outcomes.ts';
import { sharedSettings } from '../../../support/shared-settings.ts';
import type { RelayGround } from './open-relay.ts';
import { watchedLogger } from '../../../support/trouble/watched-lines.ts';

/** The service without HTTP, as `startService` composes it. */
export type Deployment = {
  readonly core: ServiceCore;
  readonly workers: Workers;
  stop(): Promise<void>;
};

/** @param kafka whether KAFKA_BROKERS is set */
export const deploy = async (ground: RelayGround, kafka: boolean): Promise<Deployment> => {
  const { out, in: into, deadLetter } = ground.topics;
  const settings = {
    ...sharedSettings(ground),
    ...(kafka && { KAFKA_BROKERS: ground.brokers.join(',') }),
    KAFKA_TOPIC_ACTIVATIONS: out.activations,
    KAFKA_TOPIC_GRANTS: out.grants,
    KAFKA_TOPIC_ADDONS: out.addons,
    KAFKA_TOPIC_PROFILES: into.profiles,
    KAFKA_TOPIC_RESERVATIONS: into.reservations,
    KAFKA_TOPIC_ACCESS_RIGHTS: into.accessRights,
    KAFKA_TOPIC_DEAD_LETTER: deadLetter,
  };
  const core = await composeService(readConfig(settings), ground, watchedLogger());
  const workers = await startWorkers(core, 'https://grantbook.example');
  return {
    core,
    workers,
    async stop() {
      await workers.stop();
      await core.close();
    },
  };
};

const scopes: readonly AllowedScope[] = ['profiles:read'];
const redirectUri = 'https://addon.example/back';

/** One organization whose administrator has activated an add-on; everything by the real commands. */
export const settleIn = async ({ commands }: ServiceCore, name: string) => {
  const registration = {
    name,
    redirectUris: [redirectUri],
    configurationUrl: 'https://addon.example/setup',
    allowedScopes: scopes,
  };
  const { clientId: addonId } = valueOf(
    await commands.registerAddon({ ...registration, confidential: false }),
  );
  const { organizationId } = valueOf(await commands.createOrganization({ name }));
  const account = { email: `${name}@example.com`, password: 'a long enough password', name };
  const { userId } = valueOf(
    await commands.createUser({ ...account, administratorOf: [organizationId], roles: [] }),
  );
  const whose = { organizationId, addonId };
  const activate = async () => {
    const { epoch } = valueOf(await commands.activateAddon({ ...whose, by: userId, sessionId: null }));
    const subject = { kind: 'organization', organizationId, epoch } as const;
    await commands.approveScopes({ userId, addonId, subject, scopes });
    return subject;
  };
  let subject = await activate();
  return {
    ...whose,
    /** A grant with its first pair of tokens; the refresh token. */
    async grant(): Promise<string> {
      const { code } = valueOf(
        await commands.issueCode({
          addonId,
          userId,
          subject,
          scopes,
          redirectUri,
          codeChallenge: challenge,
          nonce: null,
          resources: [],
          authTime: Date.now(),
        }),
      );
      const exchange = { addonId, code, redirectUri, codeVerifier: verifier, resources: null };
      return valueOf(await commands.exchangeCode(exchange)).refreshToken;
    },
    refresh: async (refreshToken: string): Promise<string> =>
      valueOf(await commands.refreshToken({ addonId, refreshToken, scopes: null, resources: null }))
        .refreshToken,
    deactivate: () => commands.deactivateAddon({ ...whose, by: userId }),
    activate: async () => void (subject = await activate()),
  };
};
