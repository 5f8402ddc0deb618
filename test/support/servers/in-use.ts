import { activationStream } from '../../../src/domain/streams.ts';
import { startHttpApp, type HttpApp } from '../scenes/http-app.ts';
import {
  activate,
  createUser,
  obtainCode,
  obtainTokens,
  setScene,
  signedIn,
  type Scene,
} from '../scenes/http-scene.ts';
import type { TestBrowser } from '../scenes/pages.ts';

/** The whole service, and its read models for administrators away during `whileAway`. */
export const startWithReadModelsAway = async () => {
  let isAway = false;
  const away =
    <Args extends readonly unknown[], T>(read: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      isAway ? Promise.reject(new Error('Query read timeout')) : read(...args);
  const http = await startHttpApp({
    around: (needs) => {
      const { connections, approvals, namesOf, organization, waitFor, beginCount } = needs.readModels;
      return {
        ...needs,
        readModels: {
          ...needs.readModels,
          connections: away(connections),
          approvals: away(approvals),
          namesOf: away(namesOf),
          organization: away(organization),
          waitFor: away(waitFor),
          beginCount: (...of) => (isAway ? () => Promise.resolve(null) : beginCount(...of)),
        },
      };
    },
  });
  const whileAway = async (work: () => Promise<void>): Promise<void> => {
    isAway = true;
    await work().finally(() => (isAway = false));
  };
  return { http, whileAway };
};

/**
 * An add-on that two people have approved for an organization: the first one twice, for profiles; the second also for
 * access rights, and with a code that was not exchanged.
 */
export const inUse = async (
  http: HttpApp,
): Promise<{ readonly scene: Scene; readonly browser: TestBrowser; readonly secondUserId: string }> => {
  const scene = await setScene(http);
  await activate(http, scene);
  const subject = `organization:${scene.organizationId}`;
  const browser = await signedIn(http, scene);
  const change = { scope: 'profiles:read' };
  await obtainTokens(http, scene, { browser, subject, change });
  await obtainTokens(http, scene, { browser, subject, change });
  const email = `second-${scene.clientId.toLowerCase()}@harbour.example`;
  const secondUserId = await createUser(http, email, [scene.organizationId]);
  await http.settle();
  const wider = { scope: 'profiles:read access-rights:read' };
  await obtainTokens(http, { ...scene, email }, { subject, change: wider });
  await obtainCode(http, { ...scene, email }, { subject, change: wider });
  await http.settle();
  return { scene, browser, secondUserId };
};

/** What the reaction appends, which does not run here. */
export const completeRevocation = async (
  { store }: HttpApp,
  { organizationId, clientId }: Scene,
  grants: number,
): Promise<void> => {
  const stream = activationStream(organizationId, clientId);
  const { revision } = await store.read(stream);
  const data = { epoch: 1, grants, at: Date.now() };
  await store.append(stream, revision, [{ event: { type: 'RevocationCompleted', data } }]);
};
