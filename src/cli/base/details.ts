import type { Argument, Command, Option } from 'commander';

/** What the help of a command says in addition to its options. */
export type Details = {
  /** What it does to tokens that are already issued; absent: nothing. */
  readonly effect?: string;
  /** What the example has after the command, its arguments and required options. */
  readonly example?: string;
  readonly json?: readonly string[];
};

const known = new WeakMap<Command, Details>();

export const describe = (command: Command, details: Details): void => {
  known.set(command, { ...known.get(command), ...details });
};

export const detailsOf = (command: Command): Details => known.get(command) ?? {};

/** The words of a command, from the name of the program on. */
export const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

export const exampleOf = (command: Command): string =>
  [
    pathOf(command),
    ...command.registeredArguments.filter(({ required }) => required).map(sampleArgument),
    ...command.options
      .filter(({ mandatory }) => mandatory)
      .map((option) => `${option.long ?? ''} ${sampleOption(option)}`),
    detailsOf(command).example ?? '',
  ]
    .join(' ')
    .trimEnd();

export const detailsText = (command: Command): string => {
  const { effect, json = [] } = detailsOf(command);
  const lines = [
    ...(effect === undefined ? [] : [`Effect: ${effect}`]),
    `Example: ${exampleOf(command)}`,
    `JSON: ${json.join(', ')}`,
  ];
  return `\n${lines.join('\n')}`;
};

const anId = '01K9RZ3Q5V0000000000000003';
const samples: Readonly<Record<string, string>> = {
  after: '4711/4711',
  'dead-letter': 'host.dead-letter/0/17',
  email: 'ada@example.com',
  event: '9d3f0c1e-5c1b-4b57-9a3e-2f6f1d0b8a77',
  external_id: 'harbour-1',
  file: 'records.ndjson',
  from: '2026-01-01',
  name: '"Ada Lovelace"',
  output: 'saved.ndjson',
  passkey: anId,
  port: '2113',
  provider: 'corporate',
  role: 'auditor',
  stream: `grant-${anId}`,
  subject: '248289761001',
  to: '2026-02-01',
  version: '1',
};

const sampleArgument = (argument: Argument): string => samples[argument.name()] ?? anId;
const sampleOption = (option: Option): string => samples[option.name()] ?? anId;
