import type { EnhanceAppContext } from 'vitepress';
import theme from 'vitepress/theme';
import './style.css';
import { rememberTab } from './remember-tab.js';

export default {
  extends: theme,
  enhanceApp({ router }: EnhanceAppContext) {
    if (!import.meta.env.SSR) rememberTab(router);
  },
};
