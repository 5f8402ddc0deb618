import type { Command } from 'commander';
import type { Field } from '../../tasks/fields.ts';

export const addOptions = (command: Command, fields: readonly Field[]): void => {
  for (const { name, kind, description, isRequired, most } of fields) {
    const option = optionOf(name);
    const said = description.endsWith('.') ? lowered(description.slice(0, -1)) : description;
    const words = `${said}${kind === 'several' ? '; several may be given' : ''}${most === 0 ? '' : `; at most ${most} characters`}`;
    const value = /_ur[il]$/.test(name) ? name.slice(-3) : 'value';
    const flags =
      { flag: option, secret: option, several: `${option} <${value}...>`, file: `${option} <file>` }[
        kind as string
      ] ?? `${option} <${value}>`;
    if (isRequired) command.requiredOption(flags, words);
    else command.option(flags, words);
  }
};

export const optionOf = (name: string): string => `--${name.replaceAll('_', '-')}`;

export const optionIn = (command: Command, name: string): unknown =>
  command.opts<Readonly<Record<string, unknown>>>()[
    name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())
  ];

/** What is said of each in a list of commands. */
export const lowered = (summary: string): string => summary.charAt(0).toLowerCase() + summary.slice(1);
