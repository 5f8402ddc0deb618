import { resolve } from 'node:path';
import { z } from 'zod';
import { KAFKA_SETTINGS } from './kafka-settings.ts';
import {
  certificates,
  decimal,
  eventStoreUrl,
  kafkaName,
  hostName,
  mailSender,
  mailUrl,
  networks,
  oneOf,
  postgresUrl,
  publicUrl,
  tokenKeys,
} from './parsers.ts';
import { allowing, optional, perHour, perMinute, seconds, setting, type Setting } from './setting.ts';

const DAY = 86_400;
const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const STORES = ['memory', 'database'] as const;
const PUBLISHER_CHANGES = ['approval', 'free'] as const;
const ON_OFF = ['on', 'off'] as const;
const ENVIRONMENTS = ['development', 'test', 'production'] as const;

export const SETTINGS = {
  NODE_ENV: setting(oneOf(ENVIRONMENTS), 'development', `one of ${ENVIRONMENTS.join(', ')}`),
  PORT: setting(decimal(0, 65_535), 8080, 'a port from 0 to 65535; 0 picks a free one (default 8080)'),
  HOST: setting(z.string().regex(/^[\w.:-]+$/), '127.0.0.1', 'a host name or address (default 127.0.0.1)'),
  MANAGEMENT_PORT: optional(
    decimal(0, 65_535),
    'a port from 0 to 65535, other than PORT; 0 picks a free one; absent means none',
  ),
  REQUEST_TIMEOUT: seconds(20, 1, 300),
  KEEP_ALIVE_TIMEOUT: seconds(72, 1, 3_600),
  MAX_CONNECTIONS: optional(
    decimal(16, 1_000_000),
    'a number from 16 to 1000000 (default: what the limit on open files allows, at most 16000)',
  ),
  SHUTDOWN_DELAY: seconds(0, 0, 300),
  BASE_URL: {
    ...optional(
      publicUrl,
      'an https URL without query, fragment and credentials; http on a loopback host or in development',
    ),
    requiredInProduction: true,
  },
  ISSUER: optional(publicUrl, 'as BASE_URL, which is the default'),
  TRUSTED_PROXIES: setting<readonly string[]>(
    networks,
    [],
    'IP addresses and networks (10.0.0.0/8), separated by commas; not all addresses (/0); absent means none',
  ),
  DATA_DIR: setting(
    z.string().transform((path) => resolve(path)),
    resolve('.grantbook'),
    'a folder (default .grantbook)',
  ),
  MAIL_URL: {
    ...optional(
      mailUrl,
      'smtp://user:password@host:port or smtps://…, without a path; absent means that no mail is sent',
    ),
    secret: true,
  },
  MAIL_CA: {
    ...optional(certificates, 'certificates in PEM; absent means the authorities that Node trusts'),
    secret: true,
  },
  MAIL_FROM: optional(
    mailSender,
    'grantbook@example.org or Grantbook <grantbook@example.org>; by default grantbook at the host of BASE_URL',
  ),
  MAIL_CLIENT_NAME: optional(hostName, 'a host name; by default that of BASE_URL'),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(publicUrl, 'an http or https URL; absent means that nothing is sent'),
  EVENTSTORE_URL: {
    ...optional(eventStoreUrl, 'esdb://host:port?tls=… or esdb+discover://…'),
    secret: true,
    requiredInProduction: true,
  },
  ALLOW_INSECURE_EVENTSTORE: allowing('an event store'),
  DATABASE_URL: {
    ...optional(
      postgresUrl,
      'postgresql://user:password@host:port/database, with one host, which accepts writes (target_session_attrs: read-write, primary or nothing)',
    ),
    secret: true,
    requiredInProduction: true,
  },
  DATABASE_SESSIONS: setting(
    decimal(20, 1_000),
    28,
    'how many sessions at the database an instance holds at most, from 20 to 1000 (default 28)',
  ),
  ALLOW_INSECURE_DATABASE: allowing('a database'),
  TOKEN_KEYS: {
    ...optional(
      tokenKeys,
      'keyId:key, separated by commas, the first for what is new; an id is 1–16 of a–z A–Z 0–9 _ and used once, a key is 32 bytes in base64url',
    ),
    secret: true,
    requiredInProduction: true,
  },
  PERSONAL_DATA_KEYS: {
    ...optional(
      tokenKeys,
      'keyId:key, separated by commas, the first for what is new; an id is 1–16 of a–z A–Z 0–9 _ and used once, a key is 32 bytes in base64url',
    ),
    secret: true,
    requiredInProduction: true,
  },
  ...KAFKA_SETTINGS,
  ALLOW_INSECURE_KAFKA: allowing('brokers'),
  LOG_LEVEL: setting(oneOf(LEVELS), 'info', `one of ${LEVELS.join(', ')}`),
  CODE_TTL: seconds(60, 1, 600), // RFC 6749 §4.1.2: at most ten minutes
  ACCESS_TOKEN_TTL: seconds(3600, 1, DAY),
  REFRESH_IDLE_TTL: seconds(30 * DAY, 1, 3650 * DAY),
  REFRESH_ABSOLUTE_TTL: seconds(365 * DAY, 1, 3650 * DAY),
  REFRESH_GRACE: seconds(30, 0, 600),
  REFRESH_GRACE_OUTAGE: seconds(300, 0, 3600),
  LOG_HEAD_INTERVAL: seconds(3600, 60, 7 * DAY),
  LOG_RETENTION_DAYS: setting(decimal(31, 36_500), 400, 'a number of days from 31 to 36500 (default 400)'),
  HISTORY_RETENTION_DAYS: optional(
    decimal(31, 36_500),
    'a number of days from 31 to 36500; absent means that the command must be given a month',
  ),
  READS_RETENTION_DAYS: setting(decimal(1, 36_500), 400, 'a number of days from 1 to 36500 (default 400)'),
  SIGNALS_RETENTION_DAYS: setting(decimal(1, 36_500), 30, 'a number of days from 1 to 36500 (default 30)'),
  SYNC_RETENTION_DAYS: setting(decimal(1, 36_500), 30, 'a number of days from 1 to 36500 (default 30)'),
  RECORDS_SIGNAL_INTERVAL: seconds(10, 1, DAY),
  HEAD_DEPOSIT_DIR: optional(
    z.string().transform((path) => resolve(path)),
    'a folder, on another machine if possible; absent means none',
  ),
  HEAD_DEPOSIT_TOPIC: optional(kafkaName, 'a name: 1–249 of a–z A–Z 0–9 . _ -; absent means none'),
  TIMESTAMP_AUTHORITY_URL: optional(
    publicUrl,
    'an http or https URL without query and credentials; absent means none',
  ),
  SIGN_IN_PROVIDERS_FILE: optional(
    z.string().transform((path) => resolve(path)),
    'a readable file with a JSON array of providers; absent means none',
  ),
  BRAND_FILE: optional(
    z.string().transform((path) => resolve(path)),
    'a readable file with a JSON object; absent means Grantbook’s own name and colours',
  ),
  LOCAL_SIGN_IN: setting(
    oneOf(ON_OFF).transform((text) => text === 'on'),
    true,
    'on (users may sign in with a password of ours) or off (default on)',
  ),
  PROVIDER_RIGHTS_MAX_AGE: setting(decimal(1, 3_650), 30, 'a number of days from 1 to 3650 (default 30)'),
  PUBLISHER_CHANGES: setting(
    oneOf(PUBLISHER_CHANGES),
    'approval',
    'approval (changes by publishers wait for an operator) or free (they are applied at once) (default approval)',
  ),
  RATE_LIMIT_ACTIVATION: perMinute(600),
  RATE_LIMIT_ADDON: perMinute(6000),
  RATE_LIMIT_TOKEN: perMinute(6000),
  RATE_LIMIT_AUTHORIZE: perMinute(6000),
  RATE_LIMIT_REVOKE: perMinute(6000),
  RATE_LIMIT_INTROSPECT: perMinute(6000),
  RATE_LIMIT_SIGN_IN: perMinute(30),
  RATE_LIMIT_SIGN_IN_STEPS: perMinute(600),
  ROTATIONS_PER_HOUR: perHour(600),
  GRANT_CACHE_SIZE: setting(
    decimal(0, 10_000_000),
    100_000,
    'a number from 0 to 10000000, about 2 kB each (default 100000)',
  ),
  RATE_LIMIT_STORE: setting(
    oneOf(STORES),
    'memory',
    'memory (each instance counts for itself) or database (all count together) (default memory)',
  ),
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof SETTINGS;
export type SettingValues = {
  readonly [N in SettingName]: z.output<(typeof SETTINGS)[N]['schema']> | (typeof SETTINGS)[N]['fallback'];
};

export const settingNames = Object.keys(SETTINGS) as readonly SettingName[];
export const isSecret = (name: SettingName): boolean => 'secret' in SETTINGS[name];
export const isRequiredInProduction = (name: SettingName): boolean =>
  'requiredInProduction' in SETTINGS[name];
