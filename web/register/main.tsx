/** The register. */
import { renderApp } from '../ui/app.js';
import { startRegister } from './core/start.js';

startRegister().then(() => renderApp(<main>Register</main>));
