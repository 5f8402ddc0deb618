import type { z } from 'zod';
import { changeTones, type ChangeItem } from '../../../tasks/addons/addon-changes.ts';
import type { AddonItem } from '../../../tasks/addons.ts';
import type { Field } from '../../../tasks/fields.ts';
import type { activeOrganizations, addonSecrets, AddonUsage } from '../../../tasks/publishing/answers.ts';
import type { SignalItem } from '../../../tasks/signals.ts';
import { valuesThere } from '../../operator/task-forms.ts';
import { standingHtml } from '../../pages/addon-standing.ts';
import {
  badge,
  card,
  empty,
  facts,
  failure,
  field,
  form,
  head,
  link,
  moment,
  nameOf,
  shortTime,
  table,
  type FormField,
} from '../../pages/components.ts';
import { markup, type Html, type Part } from '../../pages/html.ts';
import { page, type FormView, type PageView } from '../../pages/render.ts';
import { makeReader, type Reader } from '../../words/reader.ts';

const wordsOf = ({ words: { publisher } }: Reader) => publisher;

export type PublishedAddonsView = PageView & {
  readonly addons: readonly AddonItem[];
  /** The `after` of the next page; null at the end. */
  readonly next: string | null;
};

const stateOf = (reader: Reader, { retired, suspended }: AddonItem): Html => {
  const t = wordsOf(reader);
  if (retired) return badge('off', t.retired);
  return suspended ? badge('stop', t.suspended) : badge('good', t.inUse);
};

/** `/publisher`. */
export const publishedAddonsPage = page<PublishedAddonsView>(
  ({ reader }) => wordsOf(reader).title,
  ({ base, reader, addons, next }) => {
    const t = wordsOf(reader);
    const columns = [
      {
        label: t.name,
        cell: ({ client_id: id, name }: AddonItem) => link(`${base}/publisher/addons/${id}`, nameOf(name)),
      },
      { label: t.publisher, from: 'm', cell: ({ publisher }: AddonItem) => nameOf(publisher ?? '') },
      { label: t.status, cell: (addon: AddonItem) => stateOf(reader, addon) },
    ] as const;
    return markup`${head(t.title)}
<section class="card">
${addons.length === 0 ? empty(t.none, link(`${base}/docs`, t.howToConnect)) : table(t.title, columns, addons, true)}
</section>
${next !== null && markup`<nav class="ways" aria-label="${reader.words.parts.pages}"><a class="button plain" href="${base}/publisher?after=${next}">${t.later}</a></nav>`}
`;
  },
  () => ({ wide: true }),
);

export type PublishedAddonView = FormView & {
  readonly addon: AddonItem;
  readonly organizations: z.infer<typeof activeOrganizations>;
  readonly secrets: z.infer<typeof addonSecrets>['items'];
  readonly changes: readonly ChangeItem[];
  readonly fields: readonly Pick<Field, 'name' | 'kind'>[];
  readonly signals: SignalItem | null;
  readonly usage: AddonUsage['days'];
};

type Section = (view: PublishedAddonView) => Html;

const here = ({ base, addon }: Pick<PublishedAddonView, 'base' | 'addon'>) =>
  `${base}/publisher/addons/${addon.client_id}`;

/** A button of a list, or below one. */
const press = (view: PublishedAddonView, path: string, submit: string): Html =>
  markup`<form method="post" action="${here(view)}/${path}"><input type="hidden" name="csrf" value="${view.csrf}"><button type="submit" class="plain">${submit}</button></form>`;

const ways = (...buttons: readonly (Html | false)[]): Html => markup`<div class="actions">${buttons}</div>`;

const each = ({ nothing }: ReturnType<typeof wordsOf>, values: readonly string[]): Html | string =>
  values.length === 0 ? nothing : markup`${values.map((one) => markup`<div><bdi>${one}</bdi></div>`)}`;

/** What can be proposed about a fact, by the fields of a change. */
export const proposable = {
  redirect_uris: ['add_redirect_uri', 'remove_redirect_uri'],
  configuration_url: ['configuration_url'],
  post_logout_redirect_uris: ['add_post_logout_redirect_uri', 'remove_post_logout_redirect_uri'],
  website: ['website'],
  privacy_url: ['privacy_url'],
  support_url: ['support_url'],
} as const;

const registration: Section = (view) => {
  const { reader, addon } = view;
  const t = wordsOf(reader);
  const can = (label: string, property: keyof typeof proposable) => {
    const value = addon[property];
    const shown = typeof value === 'object' && value !== null ? each(t, value) : (value ?? t.nothing);
    return { label, value: shown, change: addon.retired ? null : `${here(view)}/changes?field=${property}` };
  };
  return card(
    t.registration,
    facts(reader, [
      { label: t.status, value: stateOf(reader, addon) },
      can(t.redirectUris, 'redirect_uris'),
      can(t.fields.configuration_url.title, 'configuration_url'),
      can(t.afterSignOut, 'post_logout_redirect_uris'),
      { label: t.scopes, value: each(t, addon.scopes) },
      can(t.fields.website.title, 'website'),
      can(t.fields.privacy_url.title, 'privacy_url'),
      can(t.fields.support_url.title, 'support_url'),
      { label: t.clientId, value: markup`<code>${addon.client_id}</code>` },
    ]),
    'registration',
  );
};

const organizations: Section = ({ reader, organizations: { items, shown, hidden } }) => {
  const t = wordsOf(reader);
  const columns = [
    { label: t.name, cell: ({ name }: (typeof items)[number]) => nameOf(name) },
    {
      label: t.organizationId,
      from: 'm',
      cell: ({ organization_id: id }: (typeof items)[number]) => markup`<code>${id}</code>`,
    },
    { label: t.since, cell: ({ activated_at: at }: (typeof items)[number]) => shortTime(reader, at) },
  ] as const;
  const all = shown + hidden;
  return card(
    t.organizations,
    all === 0
      ? empty(t.noOrganization)
      : markup`<p>${t.activeIn(all, hidden)}</p>${items.length > 0 && table(t.organizations, columns, items, true)}`,
    'organizations',
  );
};

const secrets: Section = (view) => {
  const { reader, addon, secrets: items } = view;
  const t = wordsOf(reader);
  if (!addon.confidential) return card(t.secrets, markup`<p>${t.public}</p>`, 'secrets');
  const remove = (id: string) =>
    link(`${here(view)}/secrets/${id}/remove`, markup`${t.removeSecret}<span class="hidden"> ${id}</span>`);
  const columns = [
    {
      label: t.added,
      cell: ({ added_at: at, secret_id: id }: (typeof items)[number]) =>
        markup`${shortTime(reader, at)}<div class="to-m soft small"><code>${id}</code></div>`,
    },
    {
      label: t.secretId,
      from: 'm',
      cell: ({ secret_id: id }: (typeof items)[number]) => markup`<code>${id}</code>`,
    },
    {
      label: reader.words.admin.action,
      cell: ({ secret_id: id }: (typeof items)[number]) => (items.length > 1 ? remove(id) : t.lastOne),
    },
  ] as const;
  const add = !addon.retired && press(view, 'secrets', t.addSecret);
  return card(
    t.secrets,
    items.length === 0
      ? empty(t.noSecret, add)
      : markup`${table(t.secrets, columns, items, true)} ${add && ways(add)}`,
    'secrets',
  );
};

/** "Website: https://…; Support: https://…". */
const changeText = ({ reader, fields }: PublishedAddonView, change: ChangeItem): string =>
  fields
    .flatMap(({ name }) => {
      const value = [change[name as keyof ChangeItem] ?? []].flat();
      return value.length === 0 ? [] : [`${titleOf(reader, name)}: ${value.join(' ')}`];
    })
    .join('; ');

type FieldWords = { readonly title: string; readonly hint: string };

export const titleOf = (reader: Reader, name: string): string => fieldWords(reader, name).title;

const fieldWords = (reader: Reader, name: string): FieldWords =>
  (wordsOf(reader).fields as Readonly<Record<string, FieldWords>>)[name] ?? { title: name, hint: '' };

const changes: Section = (view) => {
  const { reader, addon, changes: items } = view;
  const t = wordsOf(reader);
  const columns = [
    {
      label: t.change,
      cell: (change: ChangeItem) =>
        markup`${badge(changeTones[change.state], t.states[change.state])} <bdi>${changeText(view, change)}</bdi>${change.reason && markup`<div class="soft small"><bdi>${change.reason}</bdi></div>`}`,
    },
    {
      label: t.proposed,
      from: 'm',
      cell: ({ requested_at: at }: ChangeItem) => shortTime(reader, at),
    },
    {
      label: reader.words.admin.action,
      cell: ({ state, change_id: id }: ChangeItem) =>
        state === 'waiting' && press(view, `changes/${id}/withdraw`, t.withdraw),
    },
  ] as const;
  const propose =
    !addon.retired && markup`<a class="button plain" href="${here(view)}/changes">${t.proposeOne}</a>`;
  return card(
    t.changes,
    items.length === 0
      ? empty(t.noChange, propose)
      : markup`${table(t.changes, columns, items, true)} ${propose && ways(propose)}`,
    'changes',
  );
};

const signals: Section = (view) => {
  const { reader, signals: stream } = view;
  const t = wordsOf(reader);
  if (stream === null) return card(t.signals, empty(t.noStream), 'signals');
  const failing = stream.failing_since;
  const rows = facts(reader, [
    { label: t.method, value: t.methods[stream.method] },
    { label: t.status, value: t.statuses[stream.status] },
    { label: t.waiting, value: reader.number(stream.waiting) },
    { label: t.lastError, value: stream.last_error ? markup`<bdi>${stream.last_error}</bdi>` : t.nothing },
    {
      label: t.failingSince,
      value: failing ? markup`${badge('stop', moment(reader, failing))}` : badge('good', t.works),
    },
  ]);
  return card(
    t.signals,
    markup`${rows}
${ways(
  press(view, 'signals/test', t.test),
  markup`<a class="button plain" href="${here(view)}/signals/replay">${t.replay}</a>`,
)}`,
    'signals',
  );
};

type Day = AddonUsage['days'][number];
type Refusal = Day['refusals'][number] & Pick<Day, 'day'>;

const usage: Section = ({ base, reader, usage: days }) => {
  const t = wordsOf(reader);
  const utc = makeReader(reader.words); // days of UTC are the same in every time zone
  const dayOf = (day: string) => markup`<time datetime="${day}">${utc.dayOf(day)}</time>`;
  const counts = (list: Day['limits']) =>
    markup`${list.map(({ name, count }) => markup`<div>${name}: ${reader.number(count)}</div>`)}`;
  const columns = [
    { label: t.day, cell: ({ day }: Day) => dayOf(day) },
    { label: t.tokens, isNumber: true, cell: ({ tokens }: Day) => reader.number(tokens) },
    { label: t.requests, from: 'm', cell: ({ requests }: Day) => counts(requests) },
    {
      label: t.refusalsOf,
      from: 'm',
      isNumber: true,
      cell: ({ refusals }: Day) => reader.number(refusals.reduce((sum, { count }) => sum + count, 0)),
    },
    { label: t.limits, from: 'm', cell: ({ limits }: Day) => counts(limits) },
  ] as const;
  const reasons = [
    {
      label: t.reason,
      cell: ({ endpoint, reason, explanation }: Refusal) =>
        markup`${explanation ? link(`${base}/problems/${explanation.split('/').at(-1) ?? ''}`, reason) : reason} <span class="soft">${endpoint}</span>`,
    },
    { label: t.times, isNumber: true, cell: ({ count }: Refusal) => reader.number(count) },
    { label: t.day, from: 'm', cell: ({ day }: Refusal) => dayOf(day) },
    {
      label: t.request,
      from: 'm',
      cell: ({ last_request_id: id }: Refusal) => markup`<code>${id}</code>`,
    },
  ] as const;
  const refused = days.flatMap(({ day, refusals }) => refusals.map((refusal) => ({ day, ...refusal })));
  return markup`${card(t.usage, days.length === 0 ? empty(t.noUsage) : table(t.usage, columns, days, true), 'usage')}
${refused.length > 0 && card(t.refusalsOf, table(t.refusalsOf, reasons, refused, true), 'refusals')}`;
};

/** What is removed is chosen among what there is. */
export const isChosen = (name: string): boolean => name.startsWith('remove_');

/** Fields of the form that proposes a change, with what is so now; nothing is removed where there is nothing. */
export const changeFieldsFor = (
  reader: Reader,
  fields: readonly Pick<Field, 'name' | 'kind'>[],
  addon: AddonItem,
): readonly FormField[] =>
  fields.flatMap(({ name, kind }): readonly FormField[] => {
    const { title: label, hint } = fieldWords(reader, name);
    const common = { id: `change-${name}`, name, label, value: '', hint };
    if (isChosen(name)) {
      const options = valuesThere(name, addon).map((value) => ({ value, label: value }));
      return options.length === 0 ? [] : [{ ...common, kind: 'checks', options }];
    }
    if (kind === 'several') return [{ ...common, kind: 'several', hint: wordsOf(reader).onePerLine(hint) }];
    const now = addon[name as keyof AddonItem];
    return [{ ...common, kind: 'text', value: typeof now === 'string' ? now : '' }];
  });

export type PublisherFormView = FormView & {
  readonly addon: AddonItem;
  readonly title: string;
  readonly text: Part;
  /** Below the page of the add-on. */
  readonly path: string;
  readonly submit: string;
  readonly isEnd: boolean;
  readonly fields: readonly FormField[];
  readonly problem: string | null;
};

/** One form on a page of its own, which says what it does. */
export const publisherFormPage = page<PublisherFormView>(
  ({ title, addon }) => `${title}: ${addon.name}`,
  (view) => {
    const { reader, csrf, submit, isEnd, fields } = view;
    const [action, cancel] = [`${here(view)}/${view.path}`, here(view)];
    return markup`<div class="card">
<h1>${view.title}</h1>
<p><strong>${nameOf(view.addon.name)}</strong></p>
${failure(view.problem)}
<p>${view.text}</p>
${form(reader, { action, csrf, submit, isEnd, cancel }, fields.map(field))}
</div>
`;
  },
  ({ reader, addon }) => ({ crumbs: [...listCrumb(reader), addonCrumb(addon)] }),
);

const listCrumb = (reader: Reader) => [{ href: '/publisher', label: wordsOf(reader).title }];
const addonCrumb = ({ client_id: id, name }: AddonItem) => ({ href: `/publisher/addons/${id}`, label: name });

/** `/publisher/addons/{client_id}`. */
export const publishedAddonPage = page<PublishedAddonView>(
  ({ addon }) => addon.name,
  (
    view,
  ) => markup`${head(nameOf(view.addon.name))} ${standingHtml(view, { ...view.addon, registeredAt: null })}
${[registration, organizations, secrets, changes, signals, usage].map((part) => part(view))}`,
  ({ reader }) => ({ wide: true, crumbs: listCrumb(reader) }),
);

export type NewSecretView = PageView & {
  readonly clientId: string;
  readonly secret: string;
};

export const newSecretPage = page<NewSecretView>(
  ({ reader }) => wordsOf(reader).newSecret,
  ({ base, reader, clientId, secret }) => {
    const t = wordsOf(reader);
    return markup`<div class="card">
<h1>${t.newSecret}</h1>
<p>${t.copyNow}</p>
<p><code class="whole">${secret}</code></p>
<div class="actions"><a class="button" href="${base}/publisher/addons/${clientId}">${t.done}</a></div>
</div>
`;
  },
);
