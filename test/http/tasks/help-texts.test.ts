import { expect, test } from 'vitest';
import { effectOf, fieldIn, summaryOf } from '../../../src/http/tasks/in-words.ts';
import { fieldsAbout, nothingTyped } from '../../../src/http/tasks/task-forms.ts';
import { languages } from '../../../src/http/words/languages.ts';
import { entities } from '../../../src/tasks/entities.ts';
import { bodyOf } from '../../../src/tasks/fields.ts';
import { tasksOf } from '../../../src/tasks/places.ts';
import { ownAddons } from '../../../src/tasks/publishing.ts';

/** Names of parameters and options, and where the command line would be. */
const ofPrograms = /\b[a-z]+_(?:id|of|uri)\b|\bcommands?\b|Befehl|(?:^|\s)--|\bsee [a-z]+-[a-z]+/;

test.each(languages)(
  'PG-20: no form speaks of a command, an option, or the name of a parameter: $tag',
  (words) => {
    const texts = [...entities, ownAddons].flatMap((about) =>
      tasksOf(about).flatMap((task) => {
        const refused = ['last-operator', 'last-administrator', 'own-account', 'name-looks-alike'].map(
          (refusal) => fieldsAbout(task, bodyOf(task.input), undefined, { ...nothingTyped, refusal }),
        );
        const helps = refused.flat().map((field) => fieldIn(words, about, task, field).description);
        return [summaryOf(words, about, task), effectOf(words, about, task), ...helps].map(
          (text) => `${about.name} ${task.name}: ${text}`,
        );
      }),
    );
    expect(texts.length).toBeGreaterThan(200);
    const said = (line: string) => line.slice(line.indexOf(': ') + 2);
    expect(texts.filter((line) => ofPrograms.test(said(line)))).toEqual([]);
  },
);
