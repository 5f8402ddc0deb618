import type { FastifyInstance, FastifyPluginCallback } from 'fastify';
import { acceptForms, acceptOptionalJson, answerWithPages } from '../answers/scope-handlers.ts';
import { protectPages } from '../pages/page-answer.ts';
import { sendFormsOnce } from '../session/send-forms-once.ts';
import type { Browser } from './browser.ts';

/** A plugin: its parsers, its form of errors and its hooks hold for its own routes alone. */
export const scope = (register: (place: FastifyInstance) => void): FastifyPluginCallback =>
  Object.assign<FastifyPluginCallback, object>(
    (place, _options, done) => {
      register(place);
      done();
    },
    // Fastify would look for a name among all modules.
    { [Symbol.for('fastify.display-name')]: 'scope' },
  );

/** A plugin of pages: it takes forms, and whatever it answers is a page for people. */
export const pages = (browser: Browser, register: (place: FastifyInstance) => void): FastifyPluginCallback =>
  scope((place) => {
    acceptForms(place);
    protectPages(place);
    answerWithPages(place, browser);
    sendFormsOnce(place, browser);
    register(place);
  });

/** A plugin of an API for programs, which may send JSON, and of pages about the same. */
export const apiAndPages = (
  browser: Browser,
  api: (place: FastifyInstance) => void,
  ofPages: (place: FastifyInstance) => void,
): FastifyPluginCallback =>
  scope((app) => {
    acceptOptionalJson(app);
    api(app);
    void app.register(pages(browser, ofPages));
  });
