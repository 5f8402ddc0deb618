import { failure, form, ifWrong } from '../../pages/components.ts';
import { markup, trusted } from '../../pages/html.ts';
import { type FormView, page } from '../../pages/render.ts';
import { languages } from '../../words/languages.ts';
import { timeZones, zoneNow } from '../../words/reader.ts';

/** Instead of a time zone: that of the browser, and UTC without the page's script. */
export const byBrowser = 'browser';

type PreferencesView = FormView & {
  /** As chosen or sent; empty: by the browser. */
  readonly language: string;
  readonly timeZone: string;
  readonly problem: { readonly field: 'language' | 'time_zone'; readonly message: string } | null;
};

export const preferencesPage = page<PreferencesView>(
  ({ reader: { words } }) => words.preferences.title,
  ({ base, csrf, language, timeZone, problem, reader }) => {
    const { preferences } = reader.words;
    const selected = (isSelected: boolean) => isSelected && trusted(' selected');
    const fields = markup`<label class="field" for="language">${preferences.language}</label>
<select id="language" name="language"${ifWrong(problem?.field === 'language')}>
<option value="">${preferences.byBrowser}</option>
${languages.map(({ tag: value, name }) => markup`<option value="${value}" lang="${value}"${selected(language === value)}>${name}</option>`)}
</select>
<label class="field" for="time_zone">${preferences.timeZone}</label>
<select id="time_zone" name="time_zone"${ifWrong(problem?.field === 'time_zone')}>
<option value="${byBrowser}">${preferences.byBrowser}</option>
${timeZones.map((zone) => markup`<option${selected(zoneNow(timeZone) === zone)}>${zone}</option>`)}
</select>`;
    const ways = { submit: preferences.save, cancel: `${base}/account` };
    return markup`<div class="card">
<h1>${preferences.title}</h1>
<p class="soft">${preferences.how}</p>
${failure(problem?.message)}
${form(reader, { action: `${base}/account/language`, csrf, ...ways }, fields)}
</div>
`;
  },
);
