import { isIdentityScope, opensRecords, type Scope } from '../../../../domain/access/scope.ts';
import { markName } from '../../../../domain/kernel/sentence.ts';
import { standingHtml, type Standing } from '../../../pages/addon-standing.ts';
import type { BrandView } from '../../../pages/brand-view.ts';
import { badge } from '../../../pages/components.ts';
import { markup, say, stress, trusted, type Html, type Part } from '../../../pages/html.ts';
import { type Localized, page } from '../../../pages/render.ts';
import { scopeIcon } from '../../../pages/scope-icons.ts';
import { whoDecides } from './who-decides.ts';
import { accessInShort } from '../../../words/access.ts';
import { webAddresses, type WebAddress } from '../../../../domain/addons/web-addresses.ts';

export type ApprovalView = Localized &
  Standing &
  Readonly<Record<WebAddress, string | null>> & {
    readonly brand: BrandView;
    readonly base: string;
    readonly interaction: string;
    readonly addonName: string;
    /** As a `data:` address; null without. */
    readonly addonLogo: string | null;
    /** In seconds: after how long without use, and at the latest, access ends by itself. */
    readonly lasts: { readonly unused: number; readonly most: number };
    /** Host (or scheme) to which the browser is sent afterwards. */
    readonly destination: string;
    readonly signedIn: string;
    readonly email: string;
    /** False when the add-on asks for this very user: another user's answer would not count. */
    readonly mayBeAnother: boolean;
    readonly scopes: readonly Scope[];
    readonly isForOwnApi: boolean;
    /** Other servers for which access is requested, with their registered names (CL-06). */
    readonly resourceServers: readonly { readonly audience: string; readonly name: string | null }[];
    readonly subjects: readonly ApprovalSubject[];
    /** The user's organizations that cannot be chosen, because the add-on is not active for them. */
    readonly notActivated: readonly { readonly organizationId: string; readonly name: string }[];
    readonly canBeActivated: boolean;
  };

/** A subject whose records may be shared. */
export type ApprovalSubject = {
  readonly key: string;
  readonly name: string;
  readonly kind: 'organization' | 'user';
  /** This browser has just activated the add-on for it, so it alone is preselected. */
  readonly justActivated: boolean;
  /** Null when nothing was approved before. */
  readonly newScopes: readonly Scope[] | null;
};

export const approvalPage = page<ApprovalView>(
  ({ addonName, reader: { words } }) => words.approve.title(addonName),
  (view) => {
    const { base, interaction, addonName, scopes, subjects } = view;
    const { approve } = view.reader.words;
    const only = subjects.length === 1 ? (subjects[0] ?? null) : null;
    return markup`<div class="card approve">
<div>
${partiesOf(view)}
<h1>${say(approve.title(markName(addonName)))}</h1>
${standingHtml(view, view)}
${stressed(wantsOf(view))}
${linksOf(view)}
</div>
<form method="post" action="${base}/oauth/authorize/decision">
<input type="hidden" name="interaction" value="${interaction}">
${only ? theOnly(view, only) : subjectChoice(view)}
${notOffered(view)}
${scopes.length === 0 ? markup`<p class="soft">${approve.noAccess}</p>` : scopeList(view, only)}
${resourceServersOf(view)}
<p class="soft small">${stress(approve.next(markName(view.destination)))}</p>
<div class="actions">
<button type="submit" name="decision" value="approve">${approve.allow}</button>
<button type="submit" name="decision" value="deny" class="plain" formnovalidate>${approve.deny}</button>
</div>
</form>
<div>
${scopes.length > 0 && limitsOf(view)}
</div>
${whoDecides(view)}
</div>
`;
  },
);

const stressed = (text: string | null): Part => text && markup`<p>${stress(text)}</p>`;

/** The platform and the add-on, by their logos. */
const partiesOf = ({ brand, addonName, addonLogo }: ApprovalView): Html =>
  markup`<p class="parties" aria-hidden="true"><span class="party brand">${brand.mark}</span><span class="soft">→</span>${
    addonLogo
      ? markup`<img class="party" src="${addonLogo}" alt="" width="56" height="56">`
      : markup`<span class="party">${Array.from(addonName)[0]}</span>`
  }</p>`;

const linksOf = (view: ApprovalView): Part => {
  const links = webAddresses
    .map((name) => [view.reader.words.approve.webAddresses[name], view[name]] as const)
    .filter(([, href]) => href !== null);
  return (
    links.length > 0 &&
    markup`<p class="small links">${links.map(([label, href]) => markup`<a href="${href}" rel="noreferrer">${label}<span class="hidden">: <bdi>${href}</bdi></span></a> `)}</p>`
  );
};

/** There is nothing to choose; what was allowed before is said. */
const theOnly = ({ reader: { words } }: ApprovalView, { key, newScopes }: ApprovalSubject): Html => {
  const { allBefore, moreThanBefore } = words.approve;
  return markup`<input type="hidden" name="subject" value="${key}">${newScopes && markup`<p class="notice">${newScopes.length === 0 ? allBefore : moreThanBefore}</p>`}`;
};

const subjectChoice = ({ scopes, subjects, reader }: ApprovalView): Html => {
  const { approve } = reader.words;
  const before = (newScopes: readonly Scope[]) =>
    newScopes.length === 0
      ? markup`<span class="soft small">${approve.allBefore}</span>`
      : markup`<span class="small">${badge('good', approve.isNew)} ${accessInShort(reader, newScopes)}</span>`;
  const choice = ({ key, name, kind, justActivated, newScopes }: ApprovalSubject) =>
    markup`<label class="choice"><input type="radio" name="subject" value="${key}" required${kind === 'user' && trusted(' class="me"')}${justActivated && trusted(' checked')}>
<span><bdi>${name}</bdi>
<span class="soft small">${kind === 'user' ? approve.justMine : approve.wholeOrganization}${justActivated && `. ${approve.justActivated}`}</span>
${newScopes && before(newScopes)}</span></label>
`;
  return markup`<fieldset>
<legend>${opensRecords(scopes) ? approve.whose : approve.forWhom}</legend>
${subjects.map(choice)}
</fieldset>`;
};

const notOffered = ({ notActivated, canBeActivated, reader: { words } }: ApprovalView): Part => {
  const { approve } = words;
  const names = notActivated.slice(0, 3).map(({ name }) => markName(name));
  return (
    notActivated.length > 0 &&
    markup`<p class="soft small note">${say(approve.notOffered(names.join(', '), notActivated.length - names.length))} ${canBeActivated ? approve.activateThere : approve.cannotBeActivated}</p>`
  );
};

const scopeList = (view: ApprovalView, only: ApprovalSubject | null): Html => {
  const { words, scopes: scopeWords } = view.reader;
  const { approve } = words;
  const groups = groupsOf(view);
  const line = (scope: Scope) => {
    const { own, long, example } = scopeWords[scope];
    return markup`<li>${trusted(scopeIcon(scope))}<span>${only ? (only.kind === 'user' ? own : long) : markup`<span class="mine">${own}</span><span class="whole">${long}</span>`}${example && markup`<span class="soft small example">${approve.forExample(example)}</span>`}</span>${only?.newScopes?.includes(scope) && badge('good', approve.isNew)}</li>
`;
  };
  return markup`<h2>${approve.able}</h2>
${groups.map(
  ({ title, scopes }) => markup`${groups.length > 1 && markup`<h3 class="soft small">${title}</h3>`}
<ul class="scopes">
${scopes.map(line)}
</ul>
`,
)}`;
};

const resourceServersOf = ({ resourceServers, isForOwnApi, reader: { words } }: ApprovalView): Part => {
  const { approve } = words;
  return (
    resourceServers.length > 0 &&
    markup`<h2>${approve.where}</h2>
<ul class="scopes">
${resourceServers.map(({ name, audience }) => markup`<li><span>${name && markup`<bdi>${name}</bdi> `}<span class="soft small"><bdi>${audience}</bdi></span></span></li>`)}
${isForOwnApi && markup`<li><span>${approve.here}</span></li>`}
</ul>`
  );
};

/** What the add-on can never do, how long its access lasts, and who sees the data. */
const limitsOf = (view: ApprovalView): Html => {
  const { addonName, subjects, reader } = view;
  const { approve } = reader.words;
  const isFor = (kind: ApprovalSubject['kind']) => subjects.some((subject) => subject.kind === kind);
  return markup`<p class="soft small">${approve.never}</p>
<p class="soft small">${lastingOf(view)}${isFor('user') && ` ${approve.endedByYou}`}${isFor('organization') && ` ${approve.endedByAdministrators}`}</p>
<p class="soft small">${say(approve.provider(markName(addonName)))}</p>`;
};

/** Null where the choice says it. */
const wantsOf = ({ scopes, subjects, addonName, reader }: ApprovalView): string | null => {
  const { approve } = reader.words;
  const addon = markName(addonName);
  if (scopes.length === 0) return approve.wantsNothing(addon);
  if (!opensRecords(scopes)) return approve.wantsIdentity(addon);
  const [first, second] = subjects;
  if (!first || second) return null;
  const name = markName(first.name);
  return first.kind === 'user' ? approve.wantsOwn(addon, name) : approve.wantsOrganization(addon, name);
};

const groupsOf = ({ scopes, reader: { words } }: ApprovalView) =>
  [
    { title: words.approve.whoYouAre, scopes: scopes.filter(isIdentityScope) },
    { title: words.approve.records, scopes: scopes.filter((scope) => !isIdentityScope(scope)) },
  ].filter((group) => group.scopes.length > 0);

const lastingOf = ({ lasts: { unused, most }, reader }: ApprovalView): string => {
  const { approve } = reader.words;
  return unused < most
    ? approve.unlessUsed(reader.duration(unused), reader.duration(most))
    : approve.atMost(reader.duration(most));
};
