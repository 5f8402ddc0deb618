import { takePairsAgain } from './rsa-pairs.ts';

takePairsAgain();
