/** The register. */
import { renderApp } from '../ui/app.js';
import { startRegister } from './core/start.js';
import './shell/register.css';
import { Register } from './shell/register.js';

startRegister().then(() => renderApp(<Register />, { hasConnectionBar: false }));
