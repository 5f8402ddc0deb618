import { setUp } from './set-up.ts';

setUp();
