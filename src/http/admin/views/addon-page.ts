import type { Logo } from '../../../domain/addons/addon.ts';
import { markName } from '../../../domain/kernel/sentence.ts';
import type { AddonFacts } from '../../../tasks/organizations/addon-facts.ts';
import { alert, badge, card, facts, moment, shortTime, tabs, type FactRow } from '../../pages/components.ts';
import { dataUrlOf } from '../../pages/data-url.ts';
import { initialOf, menu } from '../../pages/list.ts';
import { filled, markup, say, stress, type Html, type Part } from '../../pages/html.ts';
import { addonPath, page, type FormView } from '../../pages/render.ts';
import type { NameInUse, PartnerChange } from '../../../projections/read-models.ts';
import { standingHtml } from '../../pages/addon-standing.ts';
import type { Warnings } from '../attention.ts';
import type { ToldTo } from '../delivery-state.ts';
import { addonDetails } from './addon-details.ts';
import { asksText, crumbsTo, doneText, hostOf, isoOf, isoOrNull, timeIn } from './texts.ts';
import { access } from '../../words/access.ts';
import { textIn } from '../../tasks/in-words.ts';

export type AddonView = AddonFacts &
  FormView & {
    readonly organization: {
      readonly organizationId: string;
      readonly name: string;
      readonly isClosed: boolean;
    };
    readonly logo: Logo | null;
    /** Null for an add-on that is not notified, or while that is not known. */
    readonly told: ToldTo | null;
    /** Null while it is not active. */
    readonly warnings: Warnings | null;
  };

export const addonPage = page<AddonView>(
  ({ addon, organization }) => `${addon.name} – ${organization.name}`,
  (view) => {
    const { addon, organization, logo, reader, activation, held } = view;
    const { admin, operator, parts } = reader.words;
    const isActive = activation.status === 'active';
    return markup`<div class="head thing">
<div class="lead">${initialOf(addon.name, logo && dataUrlOf(logo))}<div><h1><bdi>${addon.name}</bdi></h1>${standingHtml(view, addon)}</div></div>
<div class="actions">${isActive && menu(parts.actionsOf(addon.name), [markup`<a class="wrong" href="${addonPath(view)}/deactivate">${admin.deactivate}</a>`])}</div>
</div>
${confusionOf(view)}
${
  isActive &&
  tabs(reader, operator.related, [
    { href: addonPath(view), label: operator.overview, isCurrent: true },
    { href: `${addonPath(view)}/grants`, label: admin.grants, isCurrent: false, count: held?.liveGrants },
  ])
}
${addonDetails(reader, addon)}
<section class="card" aria-labelledby="state">
<h2 id="state">${say(reader.words.admin.forOrganization(markName(organization.name)))}</h2>
${facts(reader, rowsOf(view))}
${actionsOf(view)}
</section>
${view.epoch && approvalsOf(view)}
`;
  },
  (view) => ({ wide: true, crumbs: crumbsTo(view, view.organization) }),
);

const rowsOf = (view: AddonView): readonly FactRow[] => {
  const { addon, organization, told, reader } = view;
  const { admin } = reader.words;
  return [
    { label: admin.state, value: stateOf(view) },
    ...epochRows(view),
    ...changeRows(view),
    ...(told ? [{ label: admin.notifiedOf, value: deliveryOf(view, told) }] : []),
    { label: admin.mayAskFor, value: asksText(reader, addon.allowedScopes) },
    { label: 'client_id', value: markup`<code>${addon.addonId}</code>` },
    { label: 'organization_id', value: markup`<code>${organization.organizationId}</code>` },
  ];
};

const stateOf = ({ addon, activation: { status }, reader: { words } }: AddonView): Html =>
  markup`${badge(status === 'active' ? 'good' : 'off', words.admin.states[status])}${
    addon.suspended && markup` ${badge('stop', words.account.suspended)} ${words.admin.suspendedByOperator}`
  }${addon.retired && markup` ${badge('stop', words.account.retired)} ${words.admin.retiredByOperator}`}`;

/** About the current or last activation. */
const epochRows = (view: AddonView): readonly FactRow[] => {
  const { epoch, held, names, reader } = view;
  if (!epoch) return [];
  const { admin } = reader.words;
  const done = (acted: Parameters<typeof doneText>[2]) =>
    filled((slot) => doneText(reader, slot, acted, names));
  return [
    {
      label: admin.activated,
      value: markup`${done(epoch.activated)}${epoch.epoch > 1 && ` ${admin.epoch(epoch.epoch)}`}`,
    },
    ...(epoch.deactivated
      ? [
          { label: admin.deactivated, value: done(epoch.deactivated) },
          {
            label: admin.revocation,
            value: markup`${revocationOf(view, epoch.revokedGrants)} <a href="${addonPath(view)}/receipt">${admin.receipt}</a>`,
          },
        ]
      : []),
    {
      label: admin.grants,
      value: held ? admin.held(held.liveGrants, held.approvers, held.unredeemedCodes) : admin.notKnown,
    },
    ...(held && held.scopes.length > 0
      ? [{ label: admin.sees, value: access(reader, held.scopes, { person: null, ofOrganization: true }) }]
      : []),
    { label: admin.lastUse, value: lastUseOf(view) },
  ];
};

/** What people could take the add-on for. */
const confusionOf = ({ warnings, reader }: AddonView): Part => {
  const { admin } = reader.words;
  const named = (kind: NameInUse['kind']) =>
    (warnings?.alike ?? [])
      .filter((other) => other.kind === kind)
      .map(({ name, id }) => `${markName(name)} (${id})`);
  const [addons, publishers] = [named('addon'), named('publisher')];
  return [
    addons.length > 0 && alert(say(admin.looksLike(reader.list(addons)))),
    publishers.length > 0 && alert(say(admin.notOf(reader.list(publishers)))),
  ];
};

/** What those who offer it changed lately. */
const changeRows = ({ warnings, reader }: AddonView): readonly FactRow[] => {
  const { admin } = reader.words;
  const changes = warnings?.changes ?? [];
  const line = ({ type, at }: PartnerChange) =>
    markup`<div>${admin.changes[type]} <span class="soft">${shortTime(reader, isoOf(at))}</span></div>`;
  return changes.length === 0 ? [] : [{ label: admin.changedByPublisher, value: changes.map(line) }];
};

const revocationOf = (
  { refusedEverywhere, reader: { words } }: AddonView,
  revokedGrants: number | null,
): string => {
  if (revokedGrants !== null) return words.admin.revoked(revokedGrants);
  return refusedEverywhere ? words.admin.revokedSoon : words.admin.refusedMaybe;
};

const lastUseOf = ({ held, reader }: AddonView): Part => {
  const { admin, account } = reader.words;
  if (!held) return admin.notKnown;
  const at = held.lastTokenAt;
  if (!at) return account.neverUsed;
  return markup`${filled((slot) => admin.gotLastToken(slot(moment(reader, at))))} <span class="soft">${admin.mayHaveUsed}</span>`;
};

const deliveryOf = ({ reader }: AddonView, told: ToldTo): Html => {
  const { admin } = reader.words;
  const [last, oldest] = [isoOrNull(told.lastDeliveredAt), isoOrNull(told.oldestWaitingAt)];
  const failed =
    told.lastError === null
      ? null
      : say(admin.deliveryFailed(markName(textIn(reader.words, told.lastError))));
  const problem = failed ?? (told.pushesFailed && admin.pushesFailed);
  return markup`${admin.notified[told.method]} ${told.status !== 'enabled' && badge('off', admin.notifying[told.status])}
<div>${filled((slot) => `${admin.delivered(told.delivered, timeIn(reader, slot, last))} ${admin.waiting(told.waiting, timeIn(reader, slot, oldest))}`)}</div>
${problem && markup`<div class="soft">${problem}</div>`}`;
};

/** What an administrator can do now; or why nothing. */
const actionsOf = (view: AddonView): Html | null => {
  const { organization, addon, activation, reader } = view;
  const { admin } = reader.words;
  if (activation.status === 'active')
    return isUnfinished(view)
      ? activate(view, admin.withoutAccess(markName(hostOf(addon.configurationUrl ?? ''))), admin.finish)
      : null;
  const why = (text: string) => markup`<p class="soft note">${text}</p>`;
  if (organization.isClosed) return why(admin.closed);
  if (addon.configurationUrl === null) return why(admin.noConfiguration);
  if (addon.retired) return why(admin.whyRetired);
  if (addon.suspended) return why(admin.whySuspended);
  const asks = asksText(reader, addon.allowedScopes);
  return activate(view, admin.activating(markName(hostOf(addon.configurationUrl)), asks), admin.activate);
};

const activate = (view: AddonView, leads: string, submit: string): Html =>
  markup`<form method="post" action="${addonPath(view)}/activate">
<input type="hidden" name="csrf" value="${view.csrf}">
<p class="note" id="leads">${stress(leads)}</p>
<div class="actions"><button type="submit" aria-describedby="leads">${submit}</button></div>
</form>`;

/** How many approvals the read models list. */
const mostApprovals = 100;

const approvalsOf = ({ approvals, reader }: AddonView): Html => {
  const { admin } = reader.words;
  const none = approvals === null ? `${admin.notKnown}.` : admin.nobodyYet;
  const rows = approvals?.map(
    ({ name, userId, scopes, liveGrants, lastTokenAt }) =>
      markup`<li class="row"><div>
<div><strong><bdi>${name ?? userId}</bdi></strong></div>
<div class="small">${say(admin.allowed(access(reader, scopes, { person: name === null ? null : { name }, ofOrganization: true }) || admin.noRecords))}</div>
<div class="soft small">${filled((slot) => admin.grantsSince(liveGrants, timeIn(reader, slot, lastTokenAt)))}</div>
</div></li>
`,
  );
  return card(
    admin.approvedBy,
    markup`${rows && rows.length > 0 ? markup`<ul class="rows">${rows}</ul>` : markup`<p class="soft">${none}</p>`}
${(rows?.length ?? 0) >= mostApprovals && markup`<p class="soft small">${admin.latestApprovals}</p>`}
<p class="soft small note">${admin.grantsStay}</p>`,
    'approved',
  );
};

/** Active without a grant, e.g. because its configuration page was closed too soon. A suspended add-on cannot continue. */
const isUnfinished = ({ addon, activation, held }: AddonView): boolean =>
  activation.status === 'active' &&
  addon.configurationUrl !== null &&
  !addon.suspended &&
  !addon.retired &&
  held?.liveGrants === 0;
