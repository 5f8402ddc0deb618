import { createHash, randomBytes } from 'node:crypto';

/** The stores that two instances of the service share. The database may be empty: the first start migrates it. */
export type SharedStores = { readonly databaseUrl: string; readonly eventStoreUrl: string };

export type Settings = Readonly<Record<string, string>>;

/** Makes several processes one service: the same two stores and the same keys. No limits, little logging. */
export const sharedSettings = ({ databaseUrl, eventStoreUrl }: SharedStores): Settings => ({
  DATABASE_URL: databaseUrl,
  EVENTSTORE_URL: eventStoreUrl,
  TOKEN_KEYS: `shared:${randomBytes(32).toString('base64url')}`,
  // Depends only on the database, so that another process can later decrypt its data.
  PERSONAL_DATA_KEYS: `shared:${createHash('sha256').update(databaseUrl).digest('base64url')}`,
  LOG_LEVEL: 'warn',
  RATE_LIMIT_ACTIVATION: '0',
  RATE_LIMIT_ADDON: '0',
  RATE_LIMIT_TOKEN: '0',
  RATE_LIMIT_SIGN_IN: '0',
});
