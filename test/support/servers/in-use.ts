import type { HttpApp } from '../scenes/http-app.ts';
import {
  activate,
  createUser,
  obtainCode,
  obtainTokens,
  password,
  setScene,
  type Scene,
} from '../scenes/http-scene.ts';
import { testBrowser, type TestBrowser } from '../scenes/pages.ts';

export const signedInBrowser = async (http: HttpApp, email: string): Promise<TestBrowser> => {
  const browser = testBrowser(http.app);
  await browser.signIn(email, password);
  return browser;
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
  const browser = await signedInBrowser(http, scene.email);
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
