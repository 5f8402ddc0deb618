import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../servers/free-port.ts';
import { untilWeDie } from '../servers/until-we-die.ts';
import { brokerLibraries } from './broker-files.ts';

export type KafkaBroker = {
  /** `host:port`, for KAFKA_BROKERS; the same after a restart. */
  readonly brokers: string;
  /** At once, like a power cut; acknowledged messages are there after `start`. */
  kill(): Promise<void>;
  /** Freezes it: connections stay open, but nothing is answered. */
  freeze(): void;
  thaw(): void;
  /** Restarts it after `kill`, with the same data and address. */
  start(): Promise<void>;
  /** Ends it and removes its data. */
  close(): Promise<void>;
  /** Resolves with the end of its log when its process ends, for any reason. */
  ended(): Promise<string>;
};

export type BrokerOptions = {
  readonly port?: number;
  /** Added to the broker's properties; these take precedence. */
  readonly properties?: Readonly<Record<string, string>>;
  /** The data folder; by default a temporary one, removed by `close`. */
  readonly dataDir?: string;
  /** Further arguments of the storage tool's `format`, for example `--add-scram`. */
  readonly format?: readonly string[];
};

/** One node of Apache Kafka in KRaft mode on 127.0.0.1, without automatic creation of topics. Needs Java 17. */
export const startKafkaBroker = async (options: BrokerOptions = {}): Promise<KafkaBroker> => {
  if (options.port !== undefined && (await accepts(options.port)))
    throw new Error(`Something else listens on port ${options.port} already`);
  const libs = await brokerLibraries();
  const folder = await mkdtemp(join(tmpdir(), 'grantbook-kafka-'));
  const dataDir = options.dataDir ?? join(folder, 'data');
  const [port, controllerPort] = [options.port ?? (await freePort()), await freePort()];
  const file = join(folder, 'server.properties');
  const log = join(folder, 'broker.log');
  const properties = { ...propertiesOf(port, controllerPort, dataDir), ...options.properties };
  await writeFile(file, lines(properties), { mode: 0o600 });
  await java(libs, log, ['kafka.tools.StorageTool', 'format', '--standalone', '--ignore-formatted', '-t', clusterId, '-c', file, ...(options.format ?? [])]); // prettier-ignore

  let process: ChildProcess | null = null;
  const kill = async () => {
    const ended = isRunning(process) && once(process, 'exit');
    process?.kill('SIGKILL');
    await ended;
    process = null;
  };
  const start = async () => {
    process = spawnJava(libs, log, ['kafka.Kafka', file]);
    await listening(port, process, log);
  };
  await start();
  return {
    brokers: `127.0.0.1:${port}`,
    kill,
    start,
    freeze: () => void process?.kill('SIGSTOP'),
    thaw: () => void process?.kill('SIGCONT'),
    ended: async () => {
      if (isRunning(process)) await once(process, 'exit');
      return endOf(log);
    },
    close: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const isRunning = (process: ChildProcess | null): process is ChildProcess =>
  process !== null && process.exitCode === null && process.signalCode === null;

/** Any 16 bytes are sufficient for a single-node cluster. */
const clusterId = 'Z3JhbnRib29rLXRlc3Q';

const propertiesOf = (port: number, controllerPort: number, dataDir: string) => ({
  'process.roles': 'broker,controller',
  'node.id': '1',
  'controller.quorum.bootstrap.servers': `127.0.0.1:${controllerPort}`,
  listeners: `CLIENTS://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
  'advertised.listeners': `CLIENTS://127.0.0.1:${port}`,
  'controller.listener.names': 'CONTROLLER',
  'inter.broker.listener.name': 'CLIENTS',
  'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,CLIENTS:PLAINTEXT',
  'log.dirs': dataDir,
  'auto.create.topics.enable': 'false',
  'offsets.topic.replication.factor': '1',
  'offsets.topic.num.partitions': '4',
  'transaction.state.log.replication.factor': '1',
  'transaction.state.log.min.isr': '1',
  'transaction.state.log.num.partitions': '2',
  'group.initial.rebalance.delay.ms': '0',
  // Tests that kill members should not wait as long as in production.
  'group.min.session.timeout.ms': '1000',
  // How long a killed broker waits at its next start before it is accepted as a new one.
  'broker.session.timeout.ms': '3000',
  'broker.heartbeat.interval.ms': '500',
});

const lines = (properties: Readonly<Record<string, string>>) =>
  Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

const spawnJava = (libs: string, log: string, args: readonly string[]): ChildProcess => {
  const output = openSync(log, 'a');
  const options = ['-Xms128m', '-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn']; // prettier-ignore
  const [program, all] = untilWeDie('java', ...options, '-cp', join(libs, '*'), ...args);
  return spawn(program, all, { stdio: ['ignore', output, output] });
};

const java = async (libs: string, log: string, args: readonly string[]): Promise<void> => {
  const [code] = (await once(spawnJava(libs, log, args), 'exit')) as [number | null];
  if (code !== 0) throw new Error(`java ${args[0]} failed:\n${endOf(log)}`);
};

const endOf = (log: string) => readFileSync(log, 'utf8').split('\n').slice(-30).join('\n');

const patienceMs = 60_000;

const listening = async (port: number, broker: ChildProcess, log: string): Promise<void> => {
  const deadline = Date.now() + patienceMs;
  while (!(await accepts(port))) {
    if (broker.exitCode !== null || broker.signalCode !== null || Date.now() > deadline) {
      broker.kill('SIGKILL');
      throw new Error(`the Kafka broker does not start:\n${endOf(log)}`);
    }
    await sleep(50);
  }
};

/** Whether a server is listening there. */
export const accepts = (port: number, host = '127.0.0.1'): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once('connect', () => (socket.destroy(), resolve(true)));
    socket.once('error', () => resolve(false));
  });
