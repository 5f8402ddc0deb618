import { languages } from '../../words/languages.ts';
import { timeZones } from '../../words/reader.ts';
import { type FormView, type Localized, page } from '../../pages/render.ts';

type PreferencesView = FormView &
  Localized & {
    /** As chosen or sent; empty: by the browser, and UTC. */
    readonly language: string;
    readonly timeZone: string;
    /** The field to correct, and what is wrong with it. */
    readonly problem: { readonly field: 'language' | 'time_zone'; readonly message: string } | null;
  };

const ifWrong = (field: string) =>
  `<% if (it.problem && it.problem.field === '${field}') { %> aria-invalid="true" aria-describedby="failed" autofocus<% } %>`;

export const preferencesPage = page<PreferencesView>(
  ({ reader: { words } }) => words.preferences.title,
  `<div class="card">
<% const p = it.t.preferences; %>
<h1><%= p.title %></h1>
<p class="soft"><%= p.how %></p>
<% if (it.problem) { %><p class="alert" role="alert" id="failed"><%= it.problem.message %></p><% } %>
<form method="post" action="<%= it.base %>/account/language">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<label class="field" for="language"><%= p.language %></label>
<select id="language" name="language"${ifWrong('language')}>
<option value=""><%= p.byBrowser %></option>
<% it.languages.forEach(({ tag, name }) => { %><option value="<%= tag %>" lang="<%= tag %>"<%= it.language === tag ? ' selected' : '' %>><%= name %></option><% }) %>
</select>
<label class="field" for="time_zone"><%= p.timeZone %></label>
<select id="time_zone" name="time_zone"${ifWrong('time_zone')}>
<% it.timeZones.forEach((zone) => { %><option<%= it.timeZone === zone ? ' selected' : '' %>><%= zone %></option><% }) %>
</select>
<div class="actions"><button type="submit"><%= p.save %></button> <a class="button plain" href="<%= it.base %>/account"><%= it.t.frame.cancel %></a></div>
</form>
</div>
`,
  () => ({ languages, timeZones }),
);
