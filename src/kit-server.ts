/** The program that runs the server of a test process, which starts it with `fork`. */
import { serveParent } from './testing/serve-parent.js';

serveParent();
