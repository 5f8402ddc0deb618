import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const pom = join(import.meta.dirname, 'pom.xml');
const root = join(import.meta.dirname, '../../..');

/** The version of Apache Kafka in the pom. */
export const kafkaVersion =
  /<artifactId>kafka_2\.13<\/artifactId>\s*<version>([^<]+)/.exec(readFileSync(pom, 'utf8'))?.[1] ?? '';

/** What this machine lacks to run a broker; empty if only the libraries may be missing. */
const missingForBroker = async (): Promise<readonly string[]> => {
  const java = await run('java', ['-version']).then(
    ({ stderr }) => Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0),
    () => 0,
  );
  const mvn = existsSync(libraries()) || (await run('mvn', ['-v']).then(() => true, () => false)); // prettier-ignore
  return [...(java >= 17 ? [] : ['Java 17 or later']), ...(mvn ? [] : ['Maven'])];
};

/** Why this machine cannot run a broker, and what to do, in sentences; null if it can. Downloads the libraries. */
export const whyNoOwnBroker = async (): Promise<string | null> => {
  const missing = await missingForBroker();
  if (missing.length > 0) return `Install ${missing.join(' and ')} (Debian: openjdk-17-jre-headless, maven).`;
  return brokerLibraries().then(
    () => null,
    (error: unknown) =>
      `Maven could not load Apache Kafka ${kafkaVersion}: ${reasonOf(error)}\n` +
      'Make Maven Central, or a mirror named in ~/.m2/settings.xml, reachable once: what was loaded is kept.',
  );
};

/** Maven prints errors on its standard output, the reason first. */
const reasonOf = (error: unknown): string => {
  const { stdout, message } = error as Error & { readonly stdout?: string };
  return /\[ERROR\] (.*)/.exec(stdout ?? '')?.[1] ?? message;
};

/** Next to the packages; tests that download them again use another folder. */
const libraries = () =>
  join(process.env['GRANTBOOK_KAFKA_CACHE'] ?? join(root, 'node_modules/.cache'), `kafka-${kafkaVersion}`);

/** By default Maven waits half an hour for a repository that does not answer. */
const patience = ['-Daether.connector.connectTimeout=10000', '-Daether.connector.requestTimeout=60000'];

/** The folder of the broker's jars: downloaded from Maven Central the first time, then kept next to the packages. */
export const brokerLibraries = async (): Promise<string> => {
  const folder = libraries();
  if (existsSync(folder)) return folder;
  await mkdir(join(folder, '..'), { recursive: true });
  const part = await mkdtemp(`${folder}-`);
  try {
    const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
    await run('mvn', ['-B', '-q', '-f', pom, ...patience, goal, `-DoutputDirectory=${part}`, '-DincludeScope=runtime']); // prettier-ignore
    await rename(part, folder);
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // another process was faster
  }
  return folder;
};
