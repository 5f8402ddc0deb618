import type { z } from 'zod';
import { english } from '../common/words.ts';
import type { CommandsInContext } from '../commands/commands.ts';
import type { CommandContext } from '../commands/kernel/context.ts';
import type { FieldProblem } from '../commands/kernel/outcome.ts';
import type { Instant } from '../domain/kernel/decision.ts';
import { readCursor } from '../domain/kernel/list-cursor.ts';
import type { StreamName } from '../domain/streams.ts';
import { oneOf, type InputProblem, type Rule } from './fields.ts';
import type { Own } from './publishing/answers.ts';
import type { EventStore, LogReader, Position, RecordedEvent } from '../eventstore/event-store.ts';
import type { DeliverLink } from '../mail/deliver-link.ts';
import type { ManageStreams } from '../signals/manage-streams.ts';
import type { ReadModels, Total } from '../projections/read-models.ts';

export type Services = {
  readonly commands: CommandsInContext;
  /** For reading; only commands append. */
  readonly store: Pick<EventStore, 'read' | 'readBack'> & Pick<LogReader, 'readStored'>;
  readonly readModels: ReadModels;
  /** Sends a link for choosing a password by mail, where a mail server is configured. */
  readonly deliverLink: DeliverLink;
  readonly signals: ManageStreams;
  /** Since when the reads of add-ons are counted. */
  readonly readsCountedSince: () => Promise<Instant>;
  /** The identity providers that users may sign in with. */
  readonly providers: readonly { readonly id: string; readonly issuer: string }[];
  /** What a member of a publisher has in addition, where one asks. */
  readonly own?: Own;
  /** Waits, with a time limit, until the read models show a position, by default the end of the log. Never throws. */
  readonly settle: (position?: Position) => Promise<unknown>;
};

export type Json = Readonly<Record<string, unknown>>;

/** One thing that an operator does, with the same name and fields on the command line, in the JSON API and on the pages. */
export type Task = {
  readonly name: string;
  /** In a few words without a full stop, for example "Change the name". */
  readonly summary: string;
  /** What it does to grants and tokens that are out, in one sentence: shown before it is done, and in the documents. */
  readonly effect: string;
  /** The id of the text by which pages say the effect, where it depends on settings. */
  readonly effectNow?: (services: Services) => string;
  /** Fields in snake_case, made by `fields.ts`. */
  readonly input: z.ZodObject;
  readonly rules?: readonly Rule[];
  /** Where the API has it; by default `POST …/NAME`. */
  readonly at?: At;
  /** How the command line has it, if not as `ENTITY NAME ID`. */
  readonly command?: CommandWay;
  /** The field that the command line takes as an argument after the id, not as an option. */
  readonly argument?: string;
  /** The item of a list that it is done to. */
  readonly of?: PartItem;
  /** The list that it adds to or is about as a whole, where its address does not say so: the page has it there. */
  readonly into?: string;
  /** What answers what it decides on: it is shown before, and the task is done only to the `revision` that was shown. */
  readonly shows?: Task;
  /** What `TaskDone.json` adds to the answer. */
  readonly adds?: z.ZodObject;
  /** What `TaskDone.json` is, where it is the whole answer, with an example. */
  readonly answers?: {
    readonly shape: z.ZodObject;
    readonly example: Json;
    /** What it is called in the document, where the name does not follow from that of the task. */
    readonly name?: string;
    /** What the answer is, in a few words. */
    readonly said?: string;
    /** 201: it makes what is answered. */
    readonly status?: 201;
  };
  /** What its fields are called in the document, where the name does not follow from that of the task. */
  readonly bodyName?: string;
  /** Why it may be refused besides what any task of its audience may be refused for, by problem types. */
  readonly problems?: readonly string[];
  /** A list in this answer, which the command line prints as a table: its key, its columns, and what is printed where it is empty. */
  readonly rows?: {
    readonly of: string;
    readonly columns: Readonly<Record<string, string>>;
    readonly none: string;
  };
  /** Of a task that has no reason unless it says so: that of a member of a publisher. */
  readonly takesReason?: boolean;
  /** Whose newest event says whether what it changes has changed; by default that of the thing. */
  readonly stream?: (id: string, input: Json) => StreamName;
  /** What people come to the thing for: its page has a button for it, and the others in a menu. */
  readonly isMain?: boolean;
  /** It answers something and changes nothing. */
  readonly isRead?: boolean;
  /** It makes something, for an answer that is given once: an `Idempotency-Key` is honoured. */
  readonly isCreating?: boolean;
  /** Its fields are properties, which `PATCH` changes, too (`Entity.change`). It leaves out what is not sent. */
  readonly isProperty?: boolean;
  /** Its fields are properties, which somebody else changes: a page asks for each where it shows it. */
  readonly isProposal?: boolean;
  /** Whether it can do anything now, by what `show` answers; the page leaves it out otherwise. */
  readonly isUseful?: (shown: Json) => boolean;
  /** What a field can be now, where that is not all that there is (FX-99): ids, or words of a choice. A page offers these. */
  readonly among?: Readonly<
    Record<string, (services: Services, id: string, shown: Json, limit: number) => Promise<readonly string[]>>
  >;
  /** To which accounts it gives a role: pages and terminals say who they are before, and the answer says it (`givenTo`). */
  readonly toWhom?: (id: string, input: Json, services: Services) => string | Promise<readonly string[]>;
  /** It cannot be undone: the page asks for a confirmation. */
  readonly isFinal?: boolean;
  /** What it ends is counted before it is done; empty where that cannot be counted. Its button is red. */
  readonly ends?: readonly Ended[];
  /** It can be undone, but not what it ends: like a final task it is confirmed on a terminal. `always`: elsewhere `--yes` confirms it. */
  readonly isConfirmed?: boolean | 'always';
  readonly run: (
    services: Services,
    id: string,
    input: Json,
    context: CommandContext,
  ) => Promise<TaskOutcome>;
};

export type Ended = 'sessions' | 'grants' | 'activeAddons';

export type PartItem = {
  /** Which list: a part of the thing, one that a task reads, or one in what `show` answers. */
  readonly part: string;
  /** The fields that name the item, by these keys of it: no form asks for them (FX-94). */
  readonly fields: Readonly<Record<string, string>>;
  /** Whether the task can be done to it now, one of all these. */
  readonly isPossible?: (item: Json, all: readonly Json[]) => boolean;
};

export type At = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the address of the thing, or of the list for a task that makes one; a `{field}` is in no body. */
  readonly path: string;
};

export type CommandWay = {
  /** From the name of the group on, such as `addon secret add`. */
  readonly words?: string;
  /** Options, one of which has the id. */
  readonly idOptions?: readonly string[];
  /** The keys of the answer that it prints, without a sheet of the thing. */
  readonly prints?: readonly string[];
  /** Fields that only other ways may leave out. */
  readonly requires?: readonly string[];
};

export type TaskOutcome = TaskDone | TaskRefused;

export type TaskDone = {
  readonly ok: true;
  readonly text: string;
  /** Up to where the read models have to be for the new state; null where nothing changed. */
  readonly position: Position | null;
  readonly json?: Json;
  /** What programs need in addition, and people on a page do not. */
  readonly repeats?: Json;
  /** Of what the task made. */
  readonly id?: string;
};

export type TaskRefused = {
  readonly ok: false;
  /** Stable, with hyphens; `…-unknown` where it was not found. */
  readonly refusal: string;
  /** What to do, without a full stop. */
  readonly message: string;
  readonly problems?: readonly FieldProblem[];
  /** It is refused only until then. */
  readonly retryAt?: Instant;
  /** What a name may mean, where it is not the name of one thing alone. */
  readonly candidates?: readonly Candidate[];
  /** What has happened since it was shown, where that is why; it is in the message, too. */
  readonly changes?: readonly RecordedEvent[];
  /** What it is now, where it is not what was shown. */
  readonly current?: Json;
};

export type Candidate = {
  readonly id: string;
  readonly name: string;
  /** Of a person: by it two of one name are distinguished, and one from whoever took the name of another. */
  readonly email?: string | null;
  readonly email_verified?: boolean;
};

/** Of a task that gives a role to the account that it is about. */
export const toItself = (id: string): string => id;

export const task = <Input extends z.ZodObject>(
  described: Omit<Task, 'input' | 'run'> & {
    readonly input: Input;
    readonly run: (
      services: Services,
      id: string,
      input: z.infer<Input>,
      context: CommandContext,
    ) => Promise<TaskOutcome>;
  },
): Task => described as unknown as Task;

/** What the answer of a task has besides the thing. */
export const answeredBy = (task: Pick<Task, 'adds' | 'answers'> | null | undefined): readonly z.ZodObject[] =>
  [task?.adds, task?.answers?.shape].filter((shape) => shape !== undefined);

export type Page = {
  readonly after: string | null;
  readonly limit: number;
  /** Also counts what the filters match, to this number. */
  readonly countTo?: number;
};

export type Listed = {
  readonly items: readonly Json[];
  /** The `after` of the next page; null at the end. */
  readonly next: string | null;
  /** How many match, where that was asked for and is known. */
  readonly total?: Total;
  /** What the ids in its columns are called; absent where they have no names. */
  readonly names?: Readonly<Record<string, string>>;
};

/** A list that belongs to one of them: it is answered with the thing as `show` answers it. */
export type Part = {
  readonly name: string;
  /** Without a full stop. */
  readonly summary: string;
  readonly item: z.ZodObject;
  readonly example: Json;
  readonly columns: Readonly<Record<string, string>>;
  readonly list: (services: Services, id: string, page: Page) => Promise<Listed>;
  /** Whether an item waits for somebody to decide: its thing's page begins with it (PG-19). */
  readonly isWaiting?: (item: Json) => boolean;
  readonly command?: Omit<CommandWay, 'prints' | 'requires'> & {
    /** The key under which it prints the items, next to the id and without the rest. */
    readonly prints?: string;
  };
};

/** One page of a list that is known as a whole, oldest first or as it is sorted. */
export const pageOf = <Item extends Json>(
  all: readonly Item[],
  keyOf: (item: Item) => string,
  { after, limit }: Page,
): Listed => {
  const begin = after === null ? 0 : all.findIndex((item) => keyOf(item) === after) + 1;
  const rest = after !== null && begin === 0 ? [] : all.slice(begin);
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rest.length > limit && last ? keyOf(last) : null };
};

/** Null for an unknown id. */
export const listPart = async (
  services: Services,
  about: Entity,
  part: Part,
  id: string,
  page: Page,
): Promise<(Json & Listed) | null> => {
  const shown = await about.show(services, id);
  return shown && { ...shown, ...(await part.list(services, id, page)) };
};

export type Entity = {
  readonly name: string;
  /** What people call one of them, where it is not the name. */
  readonly noun?: string;
  readonly plural: string;
  /** The id of its texts, by default its name. What they lack, those of the name have. */
  readonly texts?: string;
  /** Of its list and of one of them, in the document. */
  readonly summaries?: { readonly list: string; readonly show: string };
  /** The address of the API that has it; by default that of operators. */
  readonly api?: string;
  readonly idKey: string;
  readonly shape: z.ZodObject;
  readonly example: Json;
  /** Filters of `list`, each optional, and `sort`, if it can be sorted by something. */
  readonly filters: z.ZodObject;
  readonly columns: Readonly<Record<string, string>>;
  /** Null for an unknown id. Independent of the read models where the answer decides something. */
  readonly show: (services: Services, id: string) => Promise<Json | null>;
  readonly list: (services: Services, filters: Json, page: Page) => Promise<Listed>;
  /** Whether a text has the form of an id. */
  readonly isId: (text: string) => boolean;
  /** What another text means: an identifier that the thing itself has claimed, or a name that only operators give. */
  readonly find: (services: Services, text: string) => Promise<readonly Candidate[]>;
  /** What has this name and may have chosen it: it is offered and never taken (FX-85). */
  readonly offer?: (services: Services, text: string) => Promise<readonly Candidate[]>;
  /** Whose newest event says whether it has changed since it was shown. */
  readonly stream: (id: string) => StreamName;
  readonly tasks: readonly Task[];
  /** What needs work in its list: by which filters, as an address has them, and how many (PG-18). */
  readonly work?: {
    readonly filters: Readonly<Record<string, string>>;
    readonly count: (services: Services) => Promise<number>;
  };
  /** Tasks that make one: their `run` gets an empty id. */
  readonly making?: readonly Task[];
  /** Changes all properties that are sent, or none (`PATCH`). */
  readonly change?: Task['run'];
  /** To which accounts `change` gives a role. */
  readonly toWhom?: Task['toWhom'];
  /** Fields that `PATCH` alone has, by the names that `show` answers: a whole list replaces the one before, null removes. */
  readonly declares?: z.ZodObject;
  readonly parts?: readonly Part[];
};

export const entity = <Filters extends z.ZodObject>(
  described: Omit<Entity, 'filters' | 'list'> & {
    readonly filters: Filters;
    readonly list: (services: Services, filters: z.infer<Filters>, page: Page) => Promise<Listed>;
  },
): Entity => {
  const { list } = described;
  return {
    ...described,
    list: (services, filters, page) => list(services, filters as z.infer<Filters>, page),
  };
};

/** What a list is sorted by: a field of the filters. `-` in front begins at the end. */
export const sortedBy = <const By extends readonly [string, ...string[]]>(...by: By) => {
  const values = by.flatMap((each) => [each, `-${each}`]) as [
    By[number],
    ...(By[number] | `-${By[number]}`)[],
  ];
  return oneOf(english.tasks.fields.sort, values).optional();
};

/** A cursor that no answer gave, or one of another order, says nothing about this one. Null: nothing is wrong. */
export const cursorProblem = (
  { isId }: Pick<Entity, 'isId'>,
  { sort = '' }: Json,
  after: string | null,
): InputProblem | null => {
  if (after === null) return null;
  const cursor = readCursor(after);
  return cursor !== null && cursor.sort === sort && isId(cursor.id)
    ? null
    : { field: 'after', code: 'malformed', allowed: english.allowed.next };
};
