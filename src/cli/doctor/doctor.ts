import { ConfigError, readConfig, type Config } from '../../config/config.ts';
import { withTimeout } from '../../common/with-timeout.ts';
import { DataDirForeign } from '../../embedded/format.ts';
import { addressAt } from '../../process/start-checks.ts';
import { amount, type Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import type { Servers } from '../base/service.ts';
import { NotReached } from '../base/not-reached.ts';
import { NotAllowed } from '../../common/not-allowed.ts';
import { certificateChecks } from './certificates.ts';
import { databaseChecks } from './database.ts';
import { eventStoreChecks } from './event-store.ts';
import { causeOf } from '../../common/server-away.ts';
import { failure, checkAll, ok, warning, type Finding, type Check } from './finding.ts';
import { kafkaChecks } from './kafka.ts';
import { keyChecks } from './keys.ts';
import { leaderChecks } from './leaders.ts';
import { logChecks } from './log.ts';
import { machineChecks } from './machine.ts';
import { mailChecks } from './mail.ts';
import { parkedChecks } from './parked.ts';
import { findService, type Running } from './running.ts';
import { judgeService } from './service.ts';
import { signInProviderChecks } from './sign-in-providers.ts';
import { writeChecks } from './writes.ts';

export const addDoctorCommand: AddCommands = (program, io, run) => {
  leaf(
    program,
    'doctor',
    'check everything that the service depends on, and say what to do; changes nothing except what its test write leaves',
  ).action(() => run(() => examine(io)));
};

/** In milliseconds. Limits each check, and the start of the embedded servers. */
const checkMs = 30_000;
const openMs = 90_000;

const examine = async (io: CliIo): Promise<Answer> => {
  const read = readSettings(io);
  if ('problems' in read) {
    const problems = read.problems.map((problem) =>
      failure('settings', problem, 'set it as .env.example says; checks that need the settings were skipped'),
    );
    return { ...present([...problems, ...(await checkAll(machineChecks(null), checkMs))]), exitCode: 2 };
  }
  const { config } = read;
  const opened = await open(io);
  const servers = 'servers' in opened ? opened.servers : null;
  try {
    const first = [
      ok('settings', 'read'),
      ...config.unknown.map((problem) =>
        warning('settings', problem, 'remove it from the environment, or correct it'),
      ),
      ...('problem' in opened ? [opened.problem] : []),
    ];
    const running = runningOf(config, servers);
    const found = [...first, ...(await checkAll(checksOf(config, servers, running), checkMs))];
    return present([...found, await checkService(running, found)]);
  } finally {
    await servers?.close();
  }
};

const readSettings = ({
  env,
}: CliIo): { readonly config: Config } | { readonly problems: readonly string[] } => {
  try {
    return { config: readConfig(env) };
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems };
    throw error;
  }
};

/** The servers of the settings; embedded ones are those of the running service, or are started for the checks. */
const open = async (io: CliIo): Promise<{ readonly servers: Servers } | { readonly problem: Finding }> => {
  const opening = io.openServers({ eventStore: true, unlessUnreachable: true });
  try {
    return { servers: await withTimeout(openMs, opening) };
  } catch (error) {
    void opening.then((late) => late.close()).catch(() => undefined);
    if (error instanceof NotAllowed) throw error;
    if (error instanceof DataDirForeign)
      return { problem: failure('embedded servers', error.why, error.advice) };
    const why = error instanceof NotReached ? error.message : causeOf(error);
    return {
      problem: failure(
        'embedded servers',
        `cannot be used (${why})`,
        'check which process uses DATA_DIR, and the log of its service (docs/how-to/operations.md, "An instance is down, or does not start")',
      ),
    };
  }
};

/** The address of readiness. Where servers are embedded, the running service tells it. */
const healthUrlOf = ({ host, port, baseUrl, http: { managementPort } }: Config, servers: Servers | null) => {
  const at = (number: number) => (number === 0 ? null : addressAt(host, number));
  if (managementPort !== null) return at(managementPort);
  return servers?.managementUrl ?? servers?.baseUrl ?? baseUrl ?? at(port);
};

const isEmbeddedIn = ({ databaseUrl, eventStoreUrl }: Config): boolean =>
  databaseUrl === null || eventStoreUrl === null;

const runningOf = (config: Config, servers: Servers | null): Running =>
  findService({
    url: healthUrlOf(config, servers),
    proxies: config.proxies,
    databaseUrl: servers?.databaseUrl || config.databaseUrl,
    withKafka: config.kafka !== null,
    isKnownStopped: isEmbeddedIn(config) && servers !== null && servers.baseUrl === null,
  });

const checkService = async (running: Running, others: readonly Finding[]): Promise<Finding> => {
  const [readiness, distrusted, led, isStopped] = await Promise.all([
    running.readiness(),
    running.distrusted(),
    running.led().catch(() => null),
    running.isStopped(),
  ]);
  return judgeService({ url: running.url, readiness, distrusted, led, isStopped }, others);
};

const checksOf = (config: Config, servers: Servers | null, running: Running): readonly Check[] => {
  const isEmbedded = isEmbeddedIn(config);
  const databaseUrl = servers?.databaseUrl || config.databaseUrl;
  const eventStoreUrl = servers?.eventStoreUrl || config.eventStoreUrl;
  const withKafka = config.kafka !== null;
  const eventStore = eventStoreUrl
    ? eventStoreChecks(eventStoreUrl, config.environment === 'production')
    : null;
  return [
    ...machineChecks(isEmbedded ? config.dataDir : null),
    ...(databaseUrl ? databaseChecks(databaseUrl) : []),
    ...(eventStore?.checks ?? []),
    ...writeChecks(databaseUrl ?? null, eventStore?.withLog ?? null),
    ...(databaseUrl && eventStore
      ? logChecks(
          { databaseUrl, withKafka, headInterval: config.logHeadInterval, isStopped: running.isStopped },
          eventStore.withLog,
        )
      : []),
    ...(databaseUrl ? [...leaderChecks(running), ...parkedChecks(databaseUrl)] : []),
    ...(databaseUrl ? keyChecks({ ...config, databaseUrl, withLog: eventStore?.withLog ?? null }) : []),
    ...kafkaChecks(config, running.isStopped, eventStore?.withLog ?? null),
    ...signInProviderChecks(config),
    ...mailChecks(config),
    ...certificateChecks(config),
  ];
};

const present = (findings: readonly Finding[]): Answer => {
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  const [failures, warnings] = [count('failure'), count('warning')];
  return {
    exitCode: failures > 0 ? 1 : 0,
    json: { failures, warnings, findings },
    text: [
      ...findings.map(line),
      failures + warnings === 0
        ? 'All checks passed.'
        : `${amount(failures, 'failure')}, ${amount(warnings, 'warning')}.`,
    ].join('\n'),
  };
};

const line = ({ check, state, found, advice }: Finding): string =>
  [`${state.padEnd(8)} ${check}: ${found}`, ...(advice === null ? [] : [`         do: ${advice}`])].join(
    '\n',
  );
