/** The page at the start address of a sandbox: where to go next. */
import { renderApp } from '../ui/app.js';
import { Start } from './start.js';

renderApp(<Start />);
