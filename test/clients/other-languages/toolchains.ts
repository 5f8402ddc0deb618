import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../../src/process/package-root.ts';

const run = promisify(execFile);
const here = import.meta.dirname;

/** A program and its arguments for each add-on of a language. */
export type Programs = Readonly<Record<string, readonly [program: string, ...args: readonly string[]]>>;
/** Or why the language cannot be tried here. */
export type Toolchain = { readonly programs: Programs } | { readonly why: string };

/** Reasons are one line: what went wrong first. */
const prepared = (language: string, prepare: () => Promise<Programs>): Promise<Toolchain> =>
  prepare().then(
    (programs) => ({ programs }),
    (error: Error & { readonly stdout?: string; readonly stderr?: string }) => {
      const said = `${error.stdout ?? ''}\n${error.stderr ?? ''}`
        .split('\n')
        .find((line) => line.trim() !== '');
      return { why: `${language}: ${said ?? error.message}` };
    },
  );

/** Where the language's own tools and its registry are there; `folder` is removed by who gave it. */
export const startToolchains = (
  folder: string,
): Readonly<Record<'go' | 'java' | 'python' | 'generator', Promise<Toolchain>>> => {
  const python = pythonWithLibraries(folder);
  return {
    go: prepared('Go', async () => {
      const program = join(folder, 'go-addon');
      await run('go', ['build', '-o', program, '.'], { cwd: join(here, 'go') });
      return { 'x/oauth2 with go-oidc': [program] };
    }),
    java: prepared('Java', async () => {
      const libraries = await javaLibraries();
      const classes = join(folder, 'classes');
      const sources = ['Nimbus', 'Scribe'].map((name) => join(here, `java/${name}.java`));
      const classPath = [join(libraries, '*'), classes].join(':');
      await run('java', ['-cp', join(libraries, '*'), 'org.eclipse.jdt.internal.compiler.batch.Main', '-17', '-nowarn', '-cp', await jarsOf(libraries), '-d', classes, ...sources]); // prettier-ignore
      const quick = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'] as const;
      return {
        'Nimbus oauth2-oidc-sdk': ['java', ...quick, '-cp', classPath, 'Nimbus'],
        ScribeJava: ['java', ...quick, '-cp', classPath, 'Scribe'],
      };
    }),
    python: prepared('Python', async () => ({
      Authlib: [await python, join(here, 'python/authlib_addon.py')],
      'requests-oauthlib': [await python, join(here, 'python/requests_oauthlib_addon.py')],
    })),
    // Its own step, as it wants a newer Python than the libraries.
    generator: prepared('openapi-python-client', async () => {
      const program = await python;
      await pipInstall(program, 'python/generator-requirements.txt');
      return {
        generate: [program, '-m', 'openapi_python_client', 'generate'],
        use: [program, join(here, 'python/generated_client.py')],
      };
    }),
  };
};

const pythonWithLibraries = async (folder: string): Promise<string> => {
  const venv = join(folder, 'venv');
  await run('python3', ['-m', 'venv', venv]);
  const python = join(venv, 'bin/python');
  await pipInstall(python, 'python/requirements.txt');
  return python;
};

const pipInstall = (python: string, requirements: string) =>
  run(python, ['-m', 'pip', 'install', '-q', '--no-compile', '-r', join(here, requirements)]);

export const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'grantbook-clients-'));

const jarsOf = async (folder: string): Promise<string> => {
  return (await readdir(folder)).map((jar) => join(folder, jar)).join(':');
};

/** From Maven Central at the first time, kept next to the packages. */
const javaLibraries = async (): Promise<string> => {
  const pom = join(here, 'java/pom.xml');
  const version = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 8);
  const folder = join(packageRoot, `node_modules/.cache/java-clients-${version}`);
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
