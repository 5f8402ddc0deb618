import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** One text for another in one file below `src`. */
export type Mutation = {
  readonly what: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
};

const root = join(import.meta.dirname, '../../..');

/** What the decisions are compiled from. */
const sources = [
  'domain',
  'eventstore/event-store.ts',
  'kafka/contract',
  'kafka/topics.ts',
  'kafka/kafka-client.ts',
];

/** A problem that the compiler found in the contract of a copy. */
export type Found = { readonly file: string; readonly message: string };

/** Compiles one copy of the sources for each mutation, all in one run. @returns by `what`, what the compiler says */
export const compileMutated = async (
  mutations: readonly Mutation[],
): Promise<ReadonlyMap<string, readonly Found[]>> => {
  const folder = mkdtempSync(join(tmpdir(), 'grantbook-contract-'));
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    mutations.forEach((mutation, index) => writeCopy(join(folder, `copy${index}`), mutation));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: join(root, 'tsconfig.json'),
        compilerOptions: { noEmit: true, pretty: false, rootDir: folder },
        include: ['copy*/kafka/contract/to-message.ts'],
      }),
    );
    const output = await tsc(folder);
    if (/^error TS/m.test(output)) throw new Error(`the compiler did not get to the sources: ${output}`);
    return new Map(mutations.map(({ what }, index) => [what, foundIn(output, `copy${index}`)]));
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const writeCopy = (target: string, { what, file, from, to }: Mutation): void => {
  for (const source of sources) {
    mkdirSync(dirname(join(target, source)), { recursive: true });
    cpSync(join(root, 'src', source), join(target, source), { recursive: true });
  }
  const text = readFileSync(join(target, file), 'utf8');
  const mutated = text.replace(from, to);
  if (mutated === text && from !== to) throw new Error(`${what}: ${file} does not hold ${from}`);
  writeFileSync(join(target, file), mutated);
};

const tsc = async (folder: string): Promise<string> => {
  const binary = join(root, 'node_modules/typescript/bin/tsc');
  try {
    return (await promisify(execFile)(process.execPath, [binary, '-p', folder], { cwd: folder })).stdout;
  } catch (error) {
    const { stdout } = error as { readonly stdout?: string };
    if (!stdout?.includes('error TS')) throw error; // it did not run
    return stdout;
  }
};

/** Mutated events also break the deciders; only what their descriptions and the contract say to them counts. */
const foundIn = (output: string, copy: string): readonly Found[] =>
  [
    ...output.matchAll(
      /^(copy\d+)\/(kafka\/contract\/[^(\n]+|domain\/[\w-]+\/events\.ts)\(\d+,\d+\): error (TS\d+: .*)$/gm,
    ),
  ].flatMap(([, of, file = '', message = '']) => (of === copy ? [{ file, message }] : []));
