import { readProxies, type Proxies } from '../common/outgoing/proxies.ts';
import { type Brand, readBrand } from './brand.ts';
import { isLoopback } from './parsers.ts';
import { eventStoreUrlProblems } from './event-store-url.ts';
import { insecureProblems } from './insecure.ts';
import { kafkaProblems, toKafkaConfig } from './kafka-config.ts';
import { type Environment, readSetting } from './read-setting.ts';
import type { Setting } from './setting.ts';
import {
  isRequiredInProduction,
  SETTINGS,
  type SettingName,
  settingNames,
  type SettingValues,
} from './settings.ts';
import { readSignInProviders, type SignInProvider } from './sign-in-providers.ts';
import { unknownSettings } from './unknown-settings.ts';

/** The settings are invalid; the message has one line for each problem, and no secret. */
export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[], hints: readonly string[] = []) {
    super(['the settings are wrong:', ...problems.map((problem) => `  ${problem}`), ...hints].join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/**
 * Reads and checks all settings (`.env.example`). @param inFile what the file `.env` has set: there a name that looks like a setting is one;
 * others may share the environment @throws ConfigError with every problem, naming its setting and what is allowed
 */
export function readConfig(env: Environment, inFile: readonly string[] = []): Config {
  const names = Object.keys(env).filter((name) => env[name]);
  const problems: string[] = [...unknownSettings(names.filter((name) => inFile.includes(name)))];
  const unknown = unknownSettings(names.filter((name) => !inFile.includes(name)));
  const values: Record<string, unknown> = {};
  for (const name of settingNames) {
    const reading = readSetting(name, SETTINGS[name] as Setting<unknown>, env);
    if ('problem' in reading) problems.push(reading.problem);
    else values[name] = reading.value;
  }
  followDown(values, env);
  problems.push(...problemsBetween(values as Partial<SettingValues>));
  const signIn = readSignInProviders(
    (values as Partial<SettingValues>).SIGN_IN_PROVIDERS_FILE ?? null,
    values['NODE_ENV'] === 'production',
  );
  const branded = readBrand((values as Partial<SettingValues>).BRAND_FILE ?? null);
  const { proxies, problems: ofProxies } = readProxies(env);
  problems.push(...signIn.problems, ...branded.problems, ...ofProxies);
  if (problems.length > 0) throw new ConfigError(problems, hintsFor(env));
  return Object.freeze({
    ...toConfig(values as SettingValues, signIn.providers, branded.brand),
    proxies,
    unknown,
  });
}

/** If only the lifetime of grants is shortened, the idle timeout follows. */
function followDown(values: { REFRESH_IDLE_TTL?: number; REFRESH_ABSOLUTE_TTL?: number }, env: Environment) {
  const { REFRESH_IDLE_TTL: idle, REFRESH_ABSOLUTE_TTL: absolute } = values;
  if (env['REFRESH_IDLE_TTL'] || idle === undefined || absolute === undefined) return;
  values.REFRESH_IDLE_TTL = Math.min(idle, absolute);
}

/** By default, mail comes from the host of the base URL: from `grantbook` there, and greeting by its name. */
const toMail = ({ MAIL_URL: url, BASE_URL: baseUrl, ...values }: SettingValues, brand: Brand | null) => {
  const { hostname } = new URL(baseUrl ?? 'http://localhost');
  const sender = values.MAIL_FROM ?? `Grantbook <grantbook@${hostname}>`;
  const name = brand?.mailFromName ?? (values.MAIL_FROM === null ? brand?.name : undefined);
  const address = /[^\s<>]+@[^\s<>]+/.exec(sender)?.[0] ?? sender;
  const from = name === undefined ? sender : `"${name.replaceAll(/["\\]/g, '\\$&')}" <${address}>`;
  return url === null
    ? null
    : { url, from, clientName: values.MAIL_CLIENT_NAME ?? hostname, ca: values.MAIL_CA };
};

/** The usual cause of an accidental production configuration on a first try is a copy of .env.example. */
const hintsFor = (env: Environment): readonly string[] =>
  env['NODE_ENV'] === 'production'
    ? [
        'NODE_ENV is production, by the environment or by the file .env here. To try the service with everything',
        'embedded, start it without these settings: move .env away.',
      ]
    : [];

/** An invalid setting is missing here, and is not reported a second time. */
function problemsBetween(values: Partial<SettingValues>): readonly string[] {
  const problems: string[] = [
    ...kafkaProblems(values),
    ...eventStoreUrlProblems(values),
    ...insecureProblems(values),
  ];
  const { REFRESH_IDLE_TTL: idle, REFRESH_ABSOLUTE_TTL: absolute } = values;
  if (idle !== undefined && absolute !== undefined && idle > absolute) {
    problems.push(`REFRESH_IDLE_TTL: got "${idle}"; allowed: at most REFRESH_ABSOLUTE_TTL (${absolute})`);
  }
  if (values.HEAD_DEPOSIT_TOPIC && values.KAFKA_BROKERS === null)
    problems.push(
      'KAFKA_BROKERS: got nothing; needed, because HEAD_DEPOSIT_TOPIC is set; allowed: host:port, …',
    );
  if (values.TIMESTAMP_AUTHORITY_URL && values.HEAD_DEPOSIT_DIR === null)
    problems.push(
      'HEAD_DEPOSIT_DIR: got nothing; needed, because TIMESTAMP_AUTHORITY_URL is set and its answers are stored next to the heads; allowed: a folder',
    );
  if (values.LOCAL_SIGN_IN === false && values.SIGN_IN_PROVIDERS_FILE === null)
    problems.push(
      'SIGN_IN_PROVIDERS_FILE: got nothing; needed, because LOCAL_SIGN_IN is off and nobody could sign in; allowed: a readable file with a JSON array of providers',
    );
  const { PORT: port, MANAGEMENT_PORT: management } = values;
  if (port !== undefined && port !== 0 && port === management) {
    problems.push(`MANAGEMENT_PORT: got "${management}"; allowed: another port than PORT`);
  }
  if (values.NODE_ENV !== 'production') return problems;
  const missing = settingNames.filter((name) => isRequiredInProduction(name) && values[name] === null);
  const plain = (['BASE_URL', 'ISSUER'] as const).filter((name) => isPlainHttp(values[name]));
  return [
    ...problems,
    ...missing.map(requiredProblem),
    ...plain.map((name) => plainProblem(name, values[name])),
  ];
}

const requiredProblem = (name: SettingName) =>
  `${name}: got nothing; required when NODE_ENV is production; allowed: ${SETTINGS[name].allowed}`;

const plainProblem = (name: 'BASE_URL' | 'ISSUER', value: unknown) =>
  `${name}: got ${JSON.stringify(value)}; allowed: https, because NODE_ENV is production and this is no loopback host`;

const isPlainHttp = (url: string | null | undefined): boolean =>
  Boolean(url?.startsWith('http:')) && !isLoopback(String(url));

function toConfig(values: SettingValues, providers: readonly SignInProvider[], brand: Brand | null) {
  return Object.freeze({
    environment: values.NODE_ENV,
    port: values.PORT,
    host: values.HOST,
    http: Object.freeze({
      /** Null: health and metrics share the port of all other routes. */
      managementPort: values.MANAGEMENT_PORT,
      /** In seconds: how long a request may take to arrive. */
      requestTimeout: values.REQUEST_TIMEOUT,
      /** In seconds: how long a connection without a request stays. */
      keepAliveTimeout: values.KEEP_ALIVE_TIMEOUT,
      /** Null: derived from the limit on open files. */
      maxConnections: values.MAX_CONNECTIONS,
      /** In seconds: how long a stopping service still accepts new connections. */
      shutdownDelay: values.SHUTDOWN_DELAY,
    }),
    /** Null: derived from the host and the server's actual port. */
    baseUrl: values.BASE_URL,
    /** Null: the base URL. */
    issuer: values.ISSUER,
    trustedProxies: values.TRUSTED_PROXIES,
    /** Absolute path; used by embedded services only. */
    dataDir: values.DATA_DIR,
    /** Null: embedded. Never in production. */
    eventStoreUrl: values.EVENTSTORE_URL,
    /** Null: embedded. Never in production. */
    databaseUrl: values.DATABASE_URL,
    /** The most that an instance holds at the same time. */
    databaseSessions: values.DATABASE_SESSIONS,
    /** Null: created once and stored in `dataDir`. Never in production. */
    tokenKeys: values.TOKEN_KEYS,
    /** Null: created once and stored in `dataDir`. Never in production. */
    personalDataKeys: values.PERSONAL_DATA_KEYS,
    kafka: toKafkaConfig(values),
    logLevel: values.LOG_LEVEL,
    /** Null: links for choosing a password are not sent by mail. */
    mail: toMail(values, brand),
    /** Whether traces and metrics go to a collector; the standard SDK reads its address and other settings itself. */
    telemetry: values.OTEL_EXPORTER_OTLP_ENDPOINT !== null,
    /** Null: Grantbook's own. */
    brand,
    /** In seconds. */
    lifetimes: Object.freeze({
      code: values.CODE_TTL,
      accessToken: values.ACCESS_TOKEN_TTL,
      refreshIdle: values.REFRESH_IDLE_TTL,
      refreshAbsolute: values.REFRESH_ABSOLUTE_TTL,
      /** 0: a refresh token works exactly once (RT-07). */
      refreshGrace: values.REFRESH_GRACE,
      refreshGraceOutage: values.REFRESH_GRACE_OUTAGE,
      /** How long a sign-in with a provider confirms the rights of its claims. */
      providerRights: values.PROVIDER_RIGHTS_MAX_AGE * 86_400,
    }),
    /** In seconds: the interval between signed heads of the log. */
    logHeadInterval: values.LOG_HEAD_INTERVAL,
    /** The stream of a session, or of a code that was never redeemed, is removed from the log this many days after its last possible effect. */
    logRetentionDays: values.LOG_RETENTION_DAYS,
    /** The age at which `history drop` includes a month; null: only a month that is named. */
    historyRetentionDays: values.HISTORY_RETENTION_DAYS,
    readsRetentionDays: values.READS_RETENTION_DAYS,
    /** How long messages to add-ons are kept, delivered or not. */
    signalsRetentionDays: values.SIGNALS_RETENTION_DAYS,
    /** How long the changes of a list can be asked for. */
    syncRetentionDays: values.SYNC_RETENTION_DAYS,
    /** The least time between two messages to an add-on that records of the same list changed, in seconds. */
    recordsSignalInterval: values.RECORDS_SIGNAL_INTERVAL,
    /** Where copies of signed heads are stored outside; null for none. */
    headDeposits: Object.freeze({
      directory: values.HEAD_DEPOSIT_DIR,
      topic: values.HEAD_DEPOSIT_TOPIC,
      timestampAuthority: values.TIMESTAMP_AUTHORITY_URL,
    }),
    /** `local`: whether users may sign in with a password of ours. */
    signIn: Object.freeze({ local: values.LOCAL_SIGN_IN, providers }),
    /** Whether changes by publishers wait for an operator. */
    publisherChanges: values.PUBLISHER_CHANGES,
    /** For one grant; 0 means no limit. */
    rotationsPerHour: values.ROTATIONS_PER_HOUR,
    grantCacheSize: values.GRANT_CACHE_SIZE,
    /** In requests per minute; 0 switches a limit off. */
    rateLimits: Object.freeze({
      activation: values.RATE_LIMIT_ACTIVATION,
      addon: values.RATE_LIMIT_ADDON,
      token: values.RATE_LIMIT_TOKEN,
      authorize: values.RATE_LIMIT_AUTHORIZE,
      revoke: values.RATE_LIMIT_REVOKE,
      introspect: values.RATE_LIMIT_INTROSPECT,
      signIn: values.RATE_LIMIT_SIGN_IN,
      signInSteps: values.RATE_LIMIT_SIGN_IN_STEPS,
      /** Where requests are counted: on each instance, or for all together; sign-in attempts always for all together. */
      store: values.RATE_LIMIT_STORE,
    }),
  });
}

/** The settings at the start of the service. Frozen; no other module reads the environment. */
export type Config = ReturnType<typeof toConfig> & {
  /** For requests to other hosts: providers, receivers of signals, the time-stamp authority. */
  readonly proxies: Proxies;
  /** Names in the environment that look like a setting: a warning each. */
  readonly unknown: readonly string[];
};
