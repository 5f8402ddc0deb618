import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type InterfaceRow = {
  /** Names in backticks in the first cell. */
  readonly names: readonly string[];
  /** Texts in backticks in the other cells. */
  readonly said: readonly string[];
};

const text = readFileSync(join(import.meta.dirname, '../../../docs/requirements/interface.md'), 'utf8');

/** The text between a heading and the next one. */
export const sectionOf = (heading: string): string => {
  const section = text.split(/\n##? /).find((part) => part.startsWith(heading));
  if (section === undefined) throw new Error(`the interface has no section "${heading}"`);
  return section;
};

/** The rows of a section's table. */
export const rowsOf = (heading: string): readonly InterfaceRow[] =>
  sectionOf(heading)
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('|---'))
    .slice(1)
    .map(toRow)
    .filter(({ names }) => names.length > 0);

const toRow = (line: string): InterfaceRow => {
  // A bar inside a cell (`activate|deactivate`) has no spaces around it.
  const [first = '', ...others] = line.replace(/^\| | \|$/g, '').split(' | ');
  return { names: quoted(first), said: quoted(others.join(' ')) };
};

const quoted = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
