import type { Configuration } from 'openid-client';
import type { Browser, Page } from './browser.ts';

/** What the story starts with: where the service is, and who plays in it. */
export type Cast = {
  readonly baseUrl: string;
  readonly browser: Browser;
  /** Where the add-on gets its user back; a registered redirect URI. */
  readonly redirectUri: string;
  readonly organizationId: string;
  readonly email: string;
  readonly password: string;
  readonly clientId: string;
};

/** The cast, and what the steps so far found out. */
export type Story = Cast & {
  /** The administrator's page with the organization's add-ons. */
  readonly addonsPage?: Page;
  /** The service as the client library discovered it. */
  readonly client?: Configuration;
  /** The address at which the add-on got its user back, with the code in it. */
  readonly callback?: { readonly url: URL; readonly state: string; readonly verifier: string };
  readonly accessToken?: string;
  readonly refreshToken?: string;
};

/** What an earlier step must have found out; a story whose order is wrong fails here, not somewhere odd. */
export const known = <K extends keyof Story>(state: Story, name: K): NonNullable<Story[K]> => {
  const value = state[name];
  if (value === undefined || value === null) throw new Error(`no earlier step found out the ${name}`);
  return value;
};
