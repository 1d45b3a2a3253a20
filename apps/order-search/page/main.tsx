import { render } from 'preact';
import { App } from './app.js';

const root = document.querySelector('#page');
if (root) render(<App />, root);
