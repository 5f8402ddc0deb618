import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const pom = join(import.meta.dirname, 'pom.xml');
const root = join(import.meta.dirname, '../../..');

/** Apache Kafka's version here: the one of the pom. */
export const kafkaVersion =
  /<artifactId>kafka_2\.13<\/artifactId>\s*<version>([^<]+)/.exec(readFileSync(pom, 'utf8'))?.[1] ?? '';

/** What this machine lacks for a broker of its own: an empty list when there is everything. */
export const missingForBroker = async (): Promise<readonly string[]> => {
  const java = await run('java', ['-version']).then(
    ({ stderr }) => Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0),
    () => 0,
  );
  const mvn = existsSync(libraries()) || (await run('mvn', ['-v']).then(() => true, () => false)); // prettier-ignore
  return [...(java >= 17 ? [] : ['Java 17 or later']), ...(mvn ? [] : ['Maven'])];
};

const libraries = () => join(root, `node_modules/.cache/kafka-${kafkaVersion}`);

/** The folder of the broker's jars: from Maven Central at the first time, kept beside the packages. */
export const brokerLibraries = async (): Promise<string> => {
  const folder = libraries();
  if (existsSync(folder)) return folder;
  await mkdir(join(folder, '..'), { recursive: true });
  const part = await mkdtemp(`${folder}-`);
  try {
    const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
    await run('mvn', ['-B', '-q', '-f', pom, goal, `-DoutputDirectory=${part}`, '-DincludeScope=runtime']);
    await rename(part, folder);
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // another process was first
  }
  return folder;
};
