import { render } from 'preact';
import { App } from './frame/app.js';

const root = document.querySelector('#page');
if (root) render(<App />, root);
