import type { FilterField } from './history-filters.ts';
import { historyTabs } from './history-filters.ts';
import { historyStylesheetPath } from './history-stylesheet.ts';
import { compilePage } from '../../pages/render.ts';

export type QuestionsView = {
  readonly base: string;
  readonly signedIn: string;
  readonly organization: { readonly organizationId: string; readonly name: string };
  readonly fields: readonly FilterField[];
  readonly problems: readonly { readonly parameter: string; readonly allowed: string }[];
};

type Inside = { title: string; wide: true; stylesheet: string; here: '/audit/questions'; heading: string };

const ask = (path: string, words: string, hint: string): string =>
  `<li><p><a href="<%= it.base %>${path}?organization=<%= it.organization.organizationId %>">${words}</a></p><p class="soft small">${hint}</p></li>`;

const render = compilePage<QuestionsView & Inside>(`<% layout('@layout') %>
${historyTabs}
<section class="card" aria-labelledby="questions">
<h2 id="questions">Five questions</h2>
<ol class="entries">
${ask('/audit/exposure', 'What could an add-on read, and what did it read?', 'Choose the add-on and the time.')}
${ask('/audit/grants', 'Who allowed it, and when was it last used?', 'Each grant with who approved it, its last token and its last read.')}
${ask('/audit/log', 'Was anything removed from the log since a day?', 'The signed head of that day, and what was compared with it.')}
${ask('/audit/unused', 'Which add-ons hold access that nobody used for 90 days?', 'Or for as many days as you say.')}
<li><form method="get" action="<%= it.base %>/audit">
<input type="hidden" name="organization" value="<%= it.organization.organizationId %>">
<label class="field" for="actor">All acts of a user (user id)</label>
<input type="text" id="actor" name="actor" required autocomplete="off" spellcheck="false">
<div class="actions"><button type="submit">Show</button></div>
</form></li>
</ol>
</section>
<p class="soft small">What you search for is recorded in the audit log.</p>
`);

export const questionsPage = (view: QuestionsView): string =>
  render({
    ...view,
    title: `${view.problems.length > 0 ? 'Error: ' : ''}Questions about ${view.organization.name}`,
    wide: true,
    stylesheet: historyStylesheetPath,
    here: '/audit/questions',
    heading: 'Questions about',
  });
