import type { FastifyInstance, FastifyPluginCallback } from 'fastify';
import { acceptForms, answerWithPages } from '../answers/scope-handlers.ts';
import { protectPages } from '../pages/page-answer.ts';
import { sendFormsOnce } from '../session/send-forms-once.ts';
import type { Browser } from './browser.ts';

/** A plugin: its parsers, its form of errors and its hooks hold for its own routes alone. */
export const scope =
  (register: (place: FastifyInstance) => void): FastifyPluginCallback =>
  (place, _options, done) => {
    register(place);
    done();
  };

/** A plugin of pages: it takes forms, and whatever it answers is a page for people. */
export const pages = (browser: Browser, register: (place: FastifyInstance) => void): FastifyPluginCallback =>
  scope((place) => {
    acceptForms(place);
    protectPages(place);
    answerWithPages(place, browser);
    sendFormsOnce(place, browser);
    register(place);
  });
