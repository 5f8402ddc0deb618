import { failOnTrouble } from './expect-trouble.ts';

failOnTrouble();
