import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../../src/process/package-root.ts';

/** A fenced block of a tutorial or a how-to. */
export type Block = {
  readonly heading: string;
  readonly language: string;
  /** The HTML comment before it: `file: NAME`, `settings`, or `not run: WHY`. */
  readonly mark: string | null;
  readonly text: string;
};

/** The tutorials and how-tos, such as `how-to/rebuild`. */
export const pages: readonly string[] = ['tutorials', 'how-to'].flatMap((folder) =>
  readdirSync(join(packageRoot, 'docs', folder)).map((name) => `${folder}/${name.replace(/\.md$/, '')}`),
);

/** All of a page, verbatim, in its order; a block in a list is without the list's indentation. */
export const blocksOf = (page: string): readonly Block[] => {
  const text = readFileSync(join(packageRoot, 'docs', `${page}.md`), 'utf8');
  const parts =
    /^(?<hashes>#+) (?<heading>.*)$|^(?<indent> *)(?:<!-- (?<mark>.*) -->\n\n *)?```(?<language>\w+)\n(?<body>[^]*?)^ *```$/gm;
  let current = '';
  return [...text.matchAll(parts)].flatMap(({ groups = {} }) => {
    const { heading, indent = '', mark = null, language = '', body = '' } = groups;
    if (heading !== undefined) current = heading;
    return heading === undefined
      ? [{ heading: current, language, mark, text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), '') }]
      : [];
  });
};

/** A file that the how-tos deploy the service with. */
export const deployed = (name: string): string => readFileSync(join(packageRoot, 'deploy', name), 'utf8');

/** The commands under one heading of a page, in one language. */
export const commandsOf = (
  page: string,
  heading: string,
  language: 'sh' | 'sql' = 'sh',
): readonly string[] => {
  const blocks = blocksOf(page).filter((block) => block.heading === heading);
  if (blocks.length === 0) throw new Error(`docs/${page}.md has no commands under ${heading}`);
  return blocks.filter((block) => block.language === language).map(({ text }) => text);
};

export type Played = { readonly exitCode: number | null; readonly output: string; readonly stdout: string };

/** Runs a block; `input` is its standard input, and `whenPrinted` gets what it has printed so far. */
export type Operator = (
  block: string,
  input?: string,
  whenPrinted?: (stdout: string) => void,
) => Promise<Played>;

/**
 * Runs blocks in one folder, which contains their files, with `grantbook` on the path. A later block knows the variables and
 * functions of the earlier ones, as in one terminal.
 */
export const makeOperator = async (
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<Operator> => {
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  const cli = join(packageRoot, 'dist/src/cli/grantbook.js');
  await writeFile(join(bin, 'grantbook'), `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`, {
    mode: 0o755,
  });
  const variables = join(folder, '.variables');
  const before = `set -a; [ ! -e '${variables}' ] || . '${variables}'; trap "{ export -p; declare -f; } > '${variables}'" EXIT\n`;
  return (block, input = '', whenPrinted = () => {}) =>
    new Promise((resolve, reject) => {
      const child = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', before + block], {
        cwd: folder,
        env: { ...env, PATH: `${bin}:${env['PATH'] ?? ''}` },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      let [output, stdout] = ['', ''];
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        whenPrinted((stdout += chunk.toString()));
      });
      child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
      child.stdin.on('error', () => {}); // it may end without reading
      child.stdin.end(input);
      child.once('error', reject);
      child.once('close', (exitCode) => resolve({ exitCode, output, stdout }));
    });
};

/** Whether an output is the written one, in which `…` is any text, and a line with nothing else any lines. */
export const isWritten = (written: string, output: string): boolean => {
  const lines = written.trimEnd().split('\n');
  const pattern = lines.map((line) =>
    line === '…'
      ? '(?:.*\\n)*?'
      : `${line
          .split('…')
          .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
          .join('.*')}\\n`,
  );
  return new RegExp(`^${pattern.join('')}$`).test(`${output.trimEnd()}\n`);
};
