import { basePathOf, beginningOf, withoutBase } from '../../../src/http/base/base-path.ts';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import type { OpenApiDocument } from '../../../src/http/openapi/document.ts';
import { decodedBody } from '../decoded-body.ts';
import { documentOf } from './described-operations.ts';
import { makeValidators, segment } from './described-schemas.ts';
import { pageWrong } from './page-answers.ts';
import { templateOf } from './registered-routes.ts';

type Header = { readonly required: boolean; readonly schema: { readonly const?: string } };
type Described = {
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, Shown>>;
};
type Shown = { readonly examples?: Readonly<Record<string, { readonly $ref?: string }>> };
type Asked = { readonly method: string; readonly url: string };

/** Headers of the connection and of the body: never described. */
const plain = ['content-type', 'content-length', 'date', 'connection', 'keep-alive', 'transfer-encoding'];

type About = { readonly baseUrl: string; readonly issuer: string };

type Service = {
  readonly document: OpenApiDocument;
  /** Of all its routes: those that the document does not have are our own pages. */
  readonly templates: readonly string[];
  /** Of the service; the document may be of another one that serves the same. */
  readonly baseUrl: string;
};

/**
 * Compares answers with the OpenAPI document: status, headers (all sent ones are described, all promised ones are
 * sent), media type and body, in which undescribed fields are errors. For our own pages there is one rule (page-answers.ts).
 * @returns the path in the document or of the page, and the differences, one line each
 */
export const makeCompare = (
  { document, templates: all, baseUrl }: Service,
  validate = makeValidators(document),
) => {
  const at = (pointer: string): unknown =>
    pointer
      .split('/')
      .slice(1)
      .reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[decode(key)], document);
  const resolved = (pointer: string): readonly [string, unknown] => {
    const part = at(pointer) as { readonly $ref?: string } | undefined;
    return part?.$ref === undefined ? [pointer, part] : [part.$ref.slice(1), at(part.$ref.slice(1))];
  };
  const templates = all.map((template) => ({
    template,
    pattern: new RegExp(`^${template.replace(/[.+]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`),
  }));
  const beginnings = new Set(all.flatMap(beginningOf));

  const bodyWrong = (pointer: string, content: Described['content'], answer: LightMyRequestResponse) => {
    const mediaType = String(answer.headers['content-type'] ?? '').replace(/;.*/, '');
    if (!content) return answer.body === '' ? [] : ['it has a body'];
    if (!content[mediaType]) return [`its type is "${mediaType}", not ${Object.keys(content).join(' or ')}`];
    if (!mediaType.endsWith('json')) return [];
    const body = JSON.parse(decodedBody(answer)) as Readonly<Record<string, unknown>>;
    return [
      ...validate(`${pointer}/content/${segment(mediaType)}/schema`, body),
      ...kindWrong(content[mediaType], body),
    ];
  };

  /** The shared examples show which errors an answer may contain. */
  const kindWrong = ({ examples = {} }: Shown, body: Readonly<Record<string, unknown>>) => {
    const shown = Object.values(examples).flatMap(({ $ref }) =>
      $ref === undefined ? [] : [at($ref.slice(1))],
    );
    const kinds = (shown as readonly { readonly value: Readonly<Record<string, unknown>> }[]).map(
      ({ value }) => value['type'] ?? value['error'],
    );
    const kind = String(body['type'] ?? body['error']).replace(baseUrl, document.servers[0]?.url ?? baseUrl);
    return kinds.length === 0 || kinds.includes(kind) ? [] : [`the error ${kind} is not described`];
  };

  const headersWrong = (described: Described, { headers }: LightMyRequestResponse) => {
    const known = Object.entries(described.headers ?? {}).map(([name, { $ref }]) => ({
      name: name.toLowerCase(),
      ...(at($ref.slice(1)) as Header),
    }));
    const undescribed = Object.keys(headers).filter(
      (name) => !plain.includes(name) && !known.some((header) => header.name === name),
    );
    return [
      ...undescribed.map((name) => `the header ${name} is not described`),
      ...known.flatMap(({ name, required, schema }) => {
        const sent = headers[name];
        if (sent === undefined) return required ? [`the header ${name} is missing`] : [];
        return schema.const === undefined || sent === schema.const
          ? []
          : [`the header ${name} is "${String(sent)}", not "${schema.const}"`];
      }),
    ];
  };

  const unofferedWrong = (answer: LightMyRequestResponse) =>
    answer.statusCode === 405 && answer.headers.allow !== undefined
      ? []
      : ['it is neither described nor a 405 with Allow'];

  const wrongOf = (
    method: string,
    pathname: string,
    template: string | undefined,
    answer: LightMyRequestResponse,
  ): readonly string[] => {
    if (template === undefined || isUnreadable(pathname))
      return notOfTheInterface.test(pathname) || answer.statusCode >= 400
        ? []
        : ['its address is not described'];
    const asHead = method === 'HEAD';
    if (!(template in document.paths)) return notOfTheInterface.test(pathname) ? [] : pageWrong(answer);
    const operation = `/paths/${segment(template)}/${asHead ? 'get' : method.toLowerCase()}`;
    if (at(operation) === undefined || (asHead && answer.statusCode === 405)) return unofferedWrong(answer);
    const [pointer, described] = resolved(`${operation}/responses/${answer.statusCode}`);
    if (described === undefined) return ['this status is not described'];
    if (isForPeople(answer)) return [];
    return [
      ...headersWrong(described as Described, answer),
      ...(asHead ? [] : bodyWrong(pointer, (described as Described).content, answer)),
    ];
  };

  return ({ method, url }: Asked, answer: LightMyRequestResponse) => {
    const { pathname } = new URL(withoutBase(url, basePathOf(baseUrl), beginnings), baseUrl);
    // A path without parameters comes before one with (OpenAPI, "Path Templating").
    const template = (
      templates.find(({ template }) => template === pathname) ??
      templates.find(({ pattern }) => pattern.test(pathname))
    )?.template;
    return { template, wrong: wrongOf(method, pathname, template, answer) };
  };
};

/** Stylesheets, and the demo add-on, which is another program on the same port. */
const notOfTheInterface = /^\/(?:assets|demo)(?:\/|$)/;

/** Whether the answer is the page for people at an address for programs: not found, or an internal error. */
const isForPeople = ({ statusCode, headers, body }: LightMyRequestResponse): boolean =>
  (statusCode === 404 || statusCode >= 500) &&
  String(headers['content-type']).startsWith('text/html') &&
  body.includes('Start page');

const decode = (key: string): string => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~');

/** Whether the request is refused before its address matters. */
const isUnreadable = (pathname: string): boolean => {
  try {
    decodeURIComponent(pathname);
    return false;
  } catch {
    return true;
  }
};

/** Every page leads on: to where its reader belongs, or back to the add-on (FX-21). */
const deadEnd = (answer: LightMyRequestResponse): readonly string[] => {
  const { body, headers } = answer;
  if (!String(headers['content-type']).startsWith('text/html') || body === '') return [];
  const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(decodedBody(answer)) ?? [];
  return /<a [^>]*href=|<form /.test(main) ? [] : ['the page is a dead end: no link, no form'];
};

const addressOf = ({ url = '/' }: InjectOptions): string =>
  typeof url === 'string' ? url : (url.pathname ?? '/');

const makeDescribed = async (app: FastifyInstance) => {
  const document = await documentOf(app);
  return { document, validate: makeValidators(document) };
};
const described = new Map<string, ReturnType<typeof makeDescribed>>();

/** One document for all apps that serve the same, because it takes longer to make than most tests. */
const compareFor = async (app: FastifyInstance, urls: ReadonlySet<string>, { baseUrl }: About) => {
  await app.ready();
  const templates = [...urls].map(templateOf);
  const name = templates.join(' ');
  const known = described.get(name) ?? makeDescribed(app);
  described.set(name, known);
  const { document, validate } = await known;
  return makeCompare({ document, templates, baseUrl }, validate);
};

/**
 * From now on, every answer to `inject` that differs from the document fails the test that made the request.
 * @returns the answers so far, as `GET /profiles 200`, with the path in the document
 */
export const compareEveryAnswer = (app: FastifyInstance, about: About): ReadonlySet<string> => {
  const answered = new Set<string>();
  const compares = new Map<string, ReturnType<typeof compareFor>>();
  const urls = new Set<string>();
  app.addHook('onRoute', ({ url }) => void urls.add(url));
  const inject = app.inject.bind(app) as (options: InjectOptions) => Promise<LightMyRequestResponse>;
  const compared = async (options: InjectOptions | string): Promise<LightMyRequestResponse> => {
    const sent = typeof options === 'string' ? { url: options } : options;
    const answer = await inject(sent);
    const asked = { method: sent.method ?? 'GET', url: addressOf(sent) };
    const address = `${about.baseUrl} ${about.issuer}`;
    const compare = compares.get(address) ?? compareFor(app, urls, about);
    compares.set(address, compare);
    const { template = 'elsewhere', wrong: differences } = (await compare)(asked, answer);
    const wrong = [...differences, ...deadEnd(answer)];
    answered.add(`${asked.method} ${template} ${answer.statusCode}`);
    if (wrong.length === 0) return answer;
    const path = asked.url.replace(/[?#].*/s, '');
    throw new Error(
      [
        `${asked.method} ${path} answered ${answer.statusCode}, not as /openapi.json says:`,
        ...wrong,
        'Describe it in the -paths.ts next to its route (src/http/openapi/describe.ts says how), or mend the answer.',
        answer.body.slice(0, 500),
      ].join('\n  '),
    );
  };
  app.inject = compared as FastifyInstance['inject'];
  return answered;
};
