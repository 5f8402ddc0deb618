import { addressOf, note } from './record-question.ts';
import type { AuditDependencies } from './dependencies.ts';
import type { View } from './view.ts';
import { exposurePage } from './views/exposure-page.ts';
import { questionsPage, logPage, unusedPage } from './views/question-pages.ts';

const day = 86_400_000;
const usualDays = { window: 30, unused: 90 } as const;
/** Rows of each table on a page; the command line shows more. */
const most = 100;

const timeOf = (instant: number): string => new Date(instant).toISOString();

export const questionsView: View = {
  names: [],
  refused: questionsPage,
  shown: (frame) => Promise.resolve(questionsPage(frame)),
};

export const exposureView = (dependencies: AuditDependencies): View => ({
  names: ['addon', 'from', 'to'],
  refused: (frame) => exposurePage({ ...frame, answer: null }),
  shown: async (frame, asked, request) => {
    const { organizationId, question } = asked;
    const { addon: addonId } = question;
    if (addonId === undefined) return exposurePage({ ...frame, answer: null });
    const to = question.to ?? dependencies.browser.now();
    const from = question.from ?? to - usualDays.window * day;
    // As it was asked: whoever asks about the last days asks the same again a moment later.
    const { from: since = null } = asked.sent;
    const sent = { ...asked.sent, ...(since === null && { days: String(usualDays.window) }) };
    const period = { addon: addonId, from: timeOf(from), to: timeOf(to) };
    const { exposure, prepared, names } = dependencies;
    const again = `${dependencies.browser.base}${addressOf('/audit/exposure', { ...asked, sent: period }, {})}`;
    // Loading the same page again while its answer is prepared is not another search.
    const wanted = { organizationId, addonId, from, to, skip: 0, limit: most };
    const there = await prepared.ask(
      {
        kind: 'exposure',
        parameters: wanted,
        by: asked.by.userId,
        note: () => note(dependencies, request, { ...asked, query: 'exposure', sent }),
      },
      (signal, passed) => exposure(wanted, signal, passed),
    );
    if (there.state !== 'ready') {
      const { events, upTo } = there.state === 'busy' ? { events: 0, upTo: null } : there.progress;
      const waiting = {
        again,
        events,
        upTo: upTo === null ? null : timeOf(upTo),
        isBusy: there.state === 'busy',
      };
      return exposurePage({ ...frame, answer: null, waiting });
    }
    const found = there.value;
    const known = await names([
      { kind: 'addon', id: addonId },
      ...found.intervals.map(({ subject }) => subject),
    ]);
    return exposurePage({
      ...frame,
      answer: {
        addon: known.get(addonId) ?? addonId,
        from: timeOf(from),
        to: timeOf(to),
        intervals: found.intervals.map(({ subject, scope, opened, closed, records }) => ({
          subject: known.get(subject.id) ?? subject.id,
          scope,
          opened: timeOf(opened.at),
          closed: closed && timeOf(closed.at),
          records,
        })),
        reads: found.reads.map((hour) => ({ ...hour, from: timeOf(hour.from), until: timeOf(hour.until) })),
        more: Math.max(found.intervalsInAll, found.readsInAll) > most,
        countedSince: timeOf(found.readsCountedSince),
        unattributed: found.readsUnattributed,
      },
    });
  },
});

export const unusedView = (dependencies: AuditDependencies): View => ({
  names: ['days', 'after_grant'],
  refused: (frame) => unusedPage({ ...frame, days: usualDays.unused, grants: [], next: null }),
  shown: async (frame, asked, request) => {
    const { days = usualDays.unused, after_grant: after } = asked.question;
    await note(dependencies, request, {
      ...asked,
      query: 'grants',
      sent: { ...asked.sent, days: String(days) },
    });
    const { grants, next } = await dependencies.unusedGrants({
      organizationId: asked.organizationId,
      unusedFor: days * day,
      limit: most,
      ...(after !== undefined && { after }),
    });
    return unusedPage({
      ...frame,
      days,
      grants: grants.map((grant) => ({
        ...grant,
        issuedAt: timeOf(grant.issuedAt),
        lastTokenAt: timeOf(grant.lastTokenAt),
        lastReadAt: grant.lastReadAt === null ? null : timeOf(grant.lastReadAt),
        unusedSince: timeOf(grant.unusedSince),
      })),
      next: next && addressOf('/audit/unused', asked, { after_grant: next }),
    });
  },
});

export const logView = (dependencies: AuditDependencies): View => ({
  names: ['from'],
  // Signed heads carry their own times, which a copy of the log keeps.
  timeProblem: async (time) => {
    const problem = await dependencies.timeProblem(time);
    return problem?.kind === 'before-copy' ? null : problem;
  },
  refused: (frame) => logPage({ ...frame, answer: null }),
  shown: async (frame, asked, request) => {
    const from = asked.question.from ?? dependencies.browser.now();
    await note(dependencies, request, { ...asked, query: 'timeline', sent: { view: 'log', ...asked.sent } });
    const { head, newest, verified } = await dependencies.logState(from);
    const presented = (one: typeof head) => one && { ...one, at: timeOf(one.at) };
    return logPage({
      ...frame,
      answer: {
        from: timeOf(from),
        head: presented(head),
        newest: presented(newest),
        verified: verified && { ...verified, checkedAt: timeOf(verified.checkedAt) },
      },
    });
  },
});
