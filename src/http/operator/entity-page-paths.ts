import { entities } from '../../administration/entities.ts';
import type { Entity, Task } from '../../administration/task.ts';
import { formRefused, goOn, page, pageTrouble, toSignIn } from '../openapi/answers.ts';
import type { Operation, Paths } from '../openapi/describe.ts';
import { signedIn } from '../openapi/page-operations.ts';

const notAnOperator = page(403, 'Not an operator.');

const pathsOf = (about: Entity): Paths => {
  const { name, noun = name, plural, idKey } = about;
  const list: Operation = {
    ...signedIn,
    id: `operators-${plural}-page`,
    summary: `Show the page of ${plural}`,
    description: 'With search and paging, for operators.',
    answers: [page(200, 'The page.'), toSignIn, notAnOperator, ...pageTrouble],
  };
  const show: Operation = {
    ...signedIn,
    id: `operators-${noun.replaceAll(' ', '-')}-page`,
    summary: `Show the page of a ${noun}, with a form for each task`,
    answers: [page(200, 'The page.'), toSignIn, notAnOperator, page(404, `No such ${name}.`), ...pageTrouble],
  };
  const act = (task: Task): Operation => ({
    ...signedIn,
    id: `${task.name}-${name}-form`,
    summary: `The form of ${name} ${task.name}`,
    description: task.effect,
    form: 'SessionForm',
    answers: [
      page(200, 'What was done, where there is more to say than the new state.'),
      goOn('Done: on to its page, or to the sign-in page.', `/operator/${plural}`),
      formRefused,
      page(404, `No such ${name}.`),
      page(409, 'Refused: the page with what stands in the way.'),
      ...pageTrouble,
    ],
  });
  return {
    [`/operator/${plural}`]: { GET: list },
    [`/operator/${plural}/{${idKey}}`]: { GET: show },
    ...Object.fromEntries(
      (about.parts ?? []).map((part): [string, Paths[string]] => [
        `/operator/${plural}/{${idKey}}/${part.name}`,
        {
          GET: {
            ...show,
            id: `operators-${name}-${part.name}-page`,
            summary: `Show the page of ${part.name}`,
          },
        },
      ]),
    ),
    ...Object.fromEntries(
      about.tasks.map((task) => [`/operator/${plural}/{${idKey}}/${task.name}`, { POST: act(task) }]),
    ),
    ...Object.fromEntries(
      (about.making ?? []).map((task) => [`/operator/${plural}/${task.name}`, { POST: act(task) }]),
    ),
  };
};

/** The operators' pages about what they look after. */
export const entityPagePaths: Paths = Object.assign({}, ...entities.map(pathsOf)) as Paths;
