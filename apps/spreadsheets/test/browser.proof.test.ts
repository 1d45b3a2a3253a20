import { MYSQL } from '@rowlock/app-shared/testing';
import { describe } from 'vitest';
import { describePage } from './support/describe-page.js';

describe('on MySQL', () => describePage(MYSQL));
