import type { z } from 'zod';
import type { ChangeItem } from '../../../administration/addons/addon-changes.ts';
import type { AddonItem } from '../../../administration/addons.ts';
import type { Field } from '../../../administration/fields.ts';
import type {
  activeOrganizations,
  addonSecrets,
  AddonUsage,
} from '../../../administration/publishing/answers.ts';
import type { SignalItem } from '../../../administration/signals.ts';
import {
  badge,
  card,
  empty,
  facts,
  field,
  form,
  link,
  moment,
  nameOf,
  table,
  type BadgeKind,
} from '../../pages/components.ts';
import { markup, type Html } from '../../pages/html.ts';
import { page, type FormView, type PageView } from '../../pages/render.ts';
import { makeReader, type Reader } from '../../words/reader.ts';

const wordsOf = ({ words: { publisher } }: Reader) => publisher;

export type PublishedAddonsView = PageView & {
  readonly addons: readonly AddonItem[];
  /** The `after` of the next page; null at the end. */
  readonly next: string | null;
};

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
      { label: t.clientId, from: 'l', cell: ({ client_id: id }: AddonItem) => markup`<code>${id}</code>` },
      {
        label: t.status,
        cell: ({ retired, suspended }: AddonItem) =>
          retired ? badge('off', t.retired) : suspended ? badge('stop', t.suspended) : badge('good', t.inUse),
      },
    ] as const;
    return markup`<h1>${t.title}</h1>
${addons.length === 0 ? empty(t.none, link(`${base}/docs`, t.howToConnect)) : table(t.title, columns, addons, true)}
${next !== null && markup`<nav class="ways" aria-label="${reader.words.parts.pages}"><a class="button plain" href="${base}/publisher?after=${next}">${t.later}</a></nav>`}
`;
  },
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

type Part = (view: PublishedAddonView) => Html;

const here = ({ base, addon }: PublishedAddonView) => `${base}/publisher/addons/${addon.client_id}`;

const act = (
  view: PublishedAddonView,
  path: string,
  submit: string,
  content: Html | null = null,
  isEnd = false,
) => form(view.reader, { action: `${here(view)}/${path}`, csrf: view.csrf, submit, isEnd }, content);

/** A form that is not needed every day is behind its name. */
const opened = (name: string, content: Html): Html =>
  markup`<details class="more"><summary>${name}</summary>${content}</details>`;

const each = ({ nothing }: ReturnType<typeof wordsOf>, values: readonly string[]): Html | string =>
  values.length === 0 ? nothing : markup`${values.map((one) => markup`<div><bdi>${one}</bdi></div>`)}`;

const registration: Part = ({ reader, addon }) => {
  const t = wordsOf(reader);
  const rows: readonly (readonly [string, Html | string])[] = [
    [t.clientId, markup`<code>${addon.client_id}</code>`],
    [t.redirectUris, each(t, addon.redirect_uris)],
    [t.fields.configuration_url.title, addon.configuration_url ?? t.nothing],
    [t.afterSignOut, each(t, addon.post_logout_redirect_uris)],
    [t.scopes, each(t, addon.scopes)],
    [t.fields.website.title, addon.website ?? t.nothing],
    [t.fields.privacy_url.title, addon.privacy_url ?? t.nothing],
    [t.fields.support_url.title, addon.support_url ?? t.nothing],
  ];
  return card(
    t.registration,
    facts(
      reader,
      rows.map(([label, value]) => ({ label, value })),
    ),
    'registration',
  );
};

const organizations: Part = ({ reader, organizations: { items, shown, hidden } }) => {
  const t = wordsOf(reader);
  const columns = [
    { label: t.name, cell: ({ name }: (typeof items)[number]) => nameOf(name) },
    {
      label: t.organizationId,
      from: 'm',
      cell: ({ organization_id: id }: (typeof items)[number]) => markup`<code>${id}</code>`,
    },
    { label: t.since, cell: ({ activated_at: at }: (typeof items)[number]) => moment(reader, at) },
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

const secrets: Part = (view) => {
  const { reader, addon, secrets: items } = view;
  const t = wordsOf(reader);
  if (!addon.confidential) return card(t.secrets, markup`<p>${t.public}</p>`, 'secrets');
  const shown = items.map(
    ({ secret_id: id, added_at: at }) => markup`<p><code>${id}</code><br>
<span class="soft small">${t.added}: ${moment(reader, at)}</span></p>
${items.length > 1 && act(view, `secrets/${id}/remove`, t.removeSecret, null, true)}`,
  );
  return card(
    t.secrets,
    markup`${items.length === 0 ? empty(t.noSecret) : shown}${act(view, 'secrets', t.addSecret)}`,
    'secrets',
  );
};

const kinds: Readonly<Record<ChangeItem['state'], BadgeKind>> = {
  waiting: 'wait',
  approved: 'good',
  refused: 'stop',
  withdrawn: 'off',
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

const changes: Part = (view) => {
  const { reader, changes: items, fields } = view;
  const t = wordsOf(reader);
  const shown = items.map(
    (
      change,
    ) => markup`<p>${badge(kinds[change.state], t.states[change.state])} <bdi>${changeText(view, change)}</bdi><br>
<span class="soft small">${t.proposed}: ${moment(reader, change.requested_at)}</span></p>
${change.reason && markup`<p class="soft small"><bdi>${change.reason}</bdi></p>`}
${change.state === 'waiting' && act(view, `changes/${change.change_id}/withdraw`, t.withdraw)}`,
  );
  return card(
    t.changes,
    markup`${items.length === 0 ? empty(t.noChange) : shown}
${opened(
  t.proposeOne,
  act(
    view,
    'changes',
    t.propose,
    markup`${fields.map(({ name, kind }) => {
      const { title, hint } = fieldWords(reader, name);
      const isList = kind === 'several';
      const said = isList ? t.onePerLine(hint) : hint;
      return field({
        id: `change-${name}`,
        name,
        kind: isList ? 'several' : 'text',
        label: title,
        value: '',
        hint: said,
      });
    })}`,
  ),
)}`,
    'changes',
  );
};

const signals: Part = (view) => {
  const { reader, signals: stream } = view;
  const t = wordsOf(reader);
  if (stream === null) return card(t.signals, empty(t.noStream), 'signals');
  const rows = facts(reader, [
    { label: t.method, value: t.methods[stream.method] },
    { label: t.status, value: t.statuses[stream.status] },
    { label: t.waiting, value: reader.number(stream.waiting) },
    { label: t.lastError, value: stream.last_error ? markup`<bdi>${stream.last_error}</bdi>` : t.nothing },
    { label: t.failingSince, value: stream.failing_since ? moment(reader, stream.failing_since) : t.works },
  ]);
  const { title, hint } = t.fields.after;
  const after = { id: 'after', name: 'after', kind: 'text', label: title, value: '', hint } as const;
  return card(
    t.signals,
    markup`${rows}
${act(view, 'signals/test', t.test)}
${opened(t.replay, act(view, 'signals/replay', t.replay, field({ ...after, isRequired: true })))}`,
    'signals',
  );
};

const usage: Part = ({ base, reader, usage: days }) => {
  const t = wordsOf(reader);
  const { dayOf } = makeReader(reader.words); // days of UTC are the same in every time zone
  type Day = AddonUsage['days'][number];
  const counts = (list: Day['limits']) =>
    markup`${list.map(({ name, count }) => markup`<div>${name}: ${reader.number(count)}</div>`)}`;
  const refusals = (list: Day['refusals']) =>
    markup`${list.map(({ endpoint, reason, explanation, count, last_request_id: id }) => {
      const said = explanation
        ? link(`${base}/problems/${explanation.split('/').at(-1) ?? ''}`, reason)
        : reason;
      return markup`<div>${endpoint}: ${said}, ${reader.number(count)}; ${t.request} <code>${id}</code></div>`;
    })}`;
  const shown = days.map(
    ({
      day,
      tokens,
      requests,
      refusals: refused,
      limits,
    }) => markup`<h3><time datetime="${day}">${dayOf(day)}</time></h3>
${facts(reader, [
  { label: t.tokens, value: reader.number(tokens) },
  { label: t.requests, value: counts(requests) },
  { label: t.refusalsOf, value: refusals(refused) },
  { label: t.limits, value: counts(limits) },
])}`,
  );
  return card(t.usage, days.length === 0 ? empty(t.noUsage) : markup`${shown}`, 'usage');
};

export const publishedAddonPage = page<PublishedAddonView>(
  ({ addon }) => addon.name,
  (view) => markup`<p class="small">${link(`${view.base}/publisher`, wordsOf(view.reader).title)}</p>
<h1>${nameOf(view.addon.name)}</h1>
${[registration, organizations, secrets, changes, signals, usage].map((part) => part(view))}`,
  () => ({ wide: true }),
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
