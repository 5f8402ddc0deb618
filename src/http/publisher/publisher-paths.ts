import { addressOf, listAddressOf, placeOf } from '../../administration/places.ts';
import { ownAddons } from '../../administration/publishing.ts';
import type { Task } from '../../administration/task.ts';
import type { ProblemKind } from '../answers/problems.ts';
import type { AnswerName, FormName } from '../contracts/components.ts';
import { administratorProblems, administratorRefusals, json } from '../openapi/answers.ts';
import type { Method, Operation, Paths } from '../openapi/describe.ts';
import { always, type HeaderUses } from '../openapi/headers.ts';
import { pageQuery } from '../operator/api-paths.ts';

const noStore: HeaderUses = { 'Cache-Control': always('no-store') };
const guards = [...administratorRefusals, 'event-unreadable'] as const;
const ofAddon = [...guards, 'addon-unknown'] as const;
const ofChange = [
  ...ofAddon,
  'malformed-request',
  'other-origin',
  'too-large',
  'unsupported-media-type',
  'too-many-requests',
] as const;

const common = {
  tag: 'Add-ons of a publisher',
  security: ['administrator-token', 'session'],
} as const satisfies Partial<Operation>;

type Answered = {
  readonly schema: AnswerName;
  readonly said: string;
  readonly example?: string;
  readonly status?: number;
  readonly form?: FormName;
  readonly kinds?: readonly ProblemKind[];
};

const changed = { kinds: ['change-refused'] } as const satisfies Partial<Answered>;
const stream = {
  schema: 'ManagedSignals',
  said: 'The stream.',
  kinds: ['signals-unknown'],
} as const satisfies Answered;

const answers: Readonly<Record<string, Answered>> = {
  'list-organizations': { schema: 'ActiveOrganizations', said: 'One page of them.' },
  'list-secrets': { schema: 'AddonSecrets', said: 'The valid ones, oldest first.' },
  'add-secret': { ...changed, schema: 'AddedSecret', said: 'The secret.', status: 201, example: 'added' },
  'remove-secret': { ...changed, schema: 'AddonSecrets', said: 'Those that are left.' },
  'list-changes': { schema: 'AddonChanges', said: 'The newest first.' },
  'propose-change': {
    ...changed,
    schema: 'AddonChange',
    said: 'The change.',
    status: 201,
    example: 'waiting',
    form: 'AddonChangeForm',
  },
  'withdraw-change': { ...changed, schema: 'AddonChange', said: 'The change.', example: 'withdrawn' },
  'show-signals': stream,
  'test-signals': stream,
  'replay-signals': { ...stream, form: 'ReplaySignalsForm' },
  'show-usage': { schema: 'AddonUsage', said: 'The last days.' },
};

const answerOf = ({ name }: Task): Answered => {
  const known = answers[name];
  if (!known) throw new Error(`nothing says what ${name} answers`);
  return known;
};

export const statusOf = (task: Task): number => answerOf(task).status ?? 200;

const operationOf = (task: Task): Operation => {
  const { schema, said, example = 'one', form, kinds = [] } = answerOf(task);
  const { name, summary, effect, input, isRead = false, answers: own } = task;
  return {
    ...common,
    id: `publisher-${name}`,
    summary,
    ...(effect !== '' && { description: effect }),
    ...(isRead && Object.keys(input.shape).length > 0 && { query: input as never }),
    ...(form && { json: form }),
    answers: [
      json(statusOf(task), said, schema, noStore, { [example]: own?.example }),
      ...administratorProblems([...(isRead ? ofAddon : ofChange), ...kinds]),
    ],
  };
};

const list: Operation = {
  ...common,
  id: 'publisher-list-addons',
  summary: 'List your add-ons',
  query: pageQuery,
  answers: [
    json(200, 'One page of them.', 'ManagedAddonList', noStore, {
      one: { items: [ownAddons.example], next: null },
    }),
    ...administratorProblems([...guards, 'not-a-publisher']),
  ],
};

const show: Operation = {
  ...common,
  id: 'publisher-show-addon',
  summary: 'Show how an add-on is registered',
  answers: [
    json(200, 'What it is now.', 'ManagedAddon', noStore, { one: ownAddons.example }),
    ...administratorProblems(ofAddon),
  ],
};

const operations = (): Paths => {
  const paths: Record<string, Partial<Record<Method, Operation>>> = {
    [listAddressOf(ownAddons)]: { GET: list },
    [addressOf(ownAddons)]: { GET: show },
  };
  for (const task of ownAddons.tasks) {
    const { url, method } = placeOf(ownAddons, task);
    paths[url] = { ...paths[url], [method]: operationOf(task) };
  }
  return paths;
};

/** For members of publishers (AP-10). */
export const publisherPaths: Paths = operations();
