import type { Configuration } from 'openid-client';
import type { DemoReceiver } from './demo-data.ts';
import type { Browser, Page } from './browser.ts';

/** The start of the story: the service's address, and the accounts. */
export type Cast = {
  readonly baseUrl: string;
  readonly browser: Browser;
  /** A registered redirect URI of the add-on. */
  readonly redirectUri: string;
  readonly organizationId: string;
  readonly email: string;
  readonly password: string;
  readonly clientId: string;
  /** A confidential add-on that is notified of changes of its access. */
  readonly receiver: DemoReceiver;
};

/** The cast, and the results of the steps so far. */
export type Story = Cast & {
  /** The administrator's page with the organization's add-ons. */
  readonly addonsPage?: Page;
  /** The organization that the hand-off after the activation names. */
  readonly handedOff?: string;
  /** The service's metadata, as the client library discovered it. */
  readonly client?: Configuration;
  /** The redirect that brought the user back to the add-on, with the code in it. */
  readonly callback?: { readonly url: URL; readonly state: string; readonly verifier: string };
  readonly accessToken?: string;
  readonly refreshToken?: string;
};

/** Returns the result of an earlier step; fails with a clear error if steps are in the wrong order. */
export const known = <K extends keyof Story>(state: Story, name: K): NonNullable<Story[K]> => {
  const value = state[name];
  if (value === undefined || value === null) throw new Error(`no earlier step provides ${name}`);
  return value;
};
